{{- define "analysis-hub.name" -}}
{{- .Values.nameOverride | default .Chart.Name -}}
{{- end -}}

{{- define "analysis-hub.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains (include "analysis-hub.name" .) .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "analysis-hub.name" .) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The labels that select all pods of a release. */}}
{{- define "analysis-hub.selector" -}}
app.kubernetes.io/name: {{ include "analysis-hub.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "analysis-hub.labels" -}}
{{ include "analysis-hub.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "analysis-hub.serviceAccount" -}}
{{- .Values.serviceAccount.existing | default (include "analysis-hub.fullname" .) -}}
{{- end -}}

{{- define "analysis-hub.image" -}}
{{- $repository := .Values.image.repository -}}
{{- if .Values.image.registry -}}
{{- $repository = printf "%s/%s" .Values.image.registry $repository -}}
{{- end -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $repository .Values.image.digest -}}
{{- else -}}
{{- $version := ternary (printf "%s-embedded" .Chart.AppVersion) .Chart.AppVersion .Values.trial.enabled -}}
{{- printf "%s:%s" $repository (.Values.image.tag | default $version) -}}
{{- end -}}
{{- end -}}

{{/* The address of the hub within the cluster. */}}
{{- define "analysis-hub.internalUrl" -}}
{{- printf "http://%s:%v" (include "analysis-hub.fullname" .) .Values.service.port -}}
{{- end -}}

{{/* The host of publicUrl, without its port. */}}
{{- define "analysis-hub.publicHost" -}}
{{- regexReplaceAll ":[0-9]+$" (get (urlParse .Values.publicUrl) "host") "" -}}
{{- end -}}

{{/* The components of a release, as a list. */}}
{{- define "analysis-hub.components" -}}
{{- if .Values.trial.enabled -}}
["hub"]
{{- else if .Values.worker.enabled -}}
["hub", "jobs", "worker"]
{{- else -}}
["hub", "jobs"]
{{- end -}}
{{- end -}}
