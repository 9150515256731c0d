{{/* Names and labels that several templates write. */}}

{{- define "carrack.name" -}}
{{ .Values.nameOverride | default .Chart.Name }}
{{- end }}

{{/* The release's name where that says it already, as `helm install carrack` does. */}}
{{- define "carrack.fullname" -}}
{{- $name := include "carrack.name" . }}
{{- $both := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) }}
{{- .Values.fullnameOverride | default $both | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "carrack.selectorLabels" -}}
app.kubernetes.io/name: {{ include "carrack.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "carrack.labels" -}}
{{ include "carrack.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: carrack
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "carrack.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- .Values.serviceAccount.name | default (include "carrack.fullname" .) }}
{{- else }}
{{- required "serviceAccount.name: must name the account to use, because serviceAccount.create is false" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* Of {image, version}: by digest where one is given. */}}
{{- define "carrack.image" -}}
{{- $tag := .image.tag | default .version }}
{{- .image.repository }}{{ empty .image.digest | ternary (printf ":%s" $tag) (printf "@%s" .image.digest) }}
{{- end }}
