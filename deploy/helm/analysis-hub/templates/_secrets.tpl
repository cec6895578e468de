{{/* Every variable that is a secret, as in docs/configuration.md. */}}
{{- define "analysis-hub.secretVariables" -}}
[
  "DATABASE_URL", "CORE_DATABASE_URL", "STORAGE_DATABASE_URL", "TELEMETRY_DATABASE_URL", "MESSENGER_DATABASE_URL",
  "IDENTITY_DATABASE_URL", "FORMER_CORE_DATABASE_URL", "FORMER_STORAGE_DATABASE_URL", "FORMER_TELEMETRY_DATABASE_URL",
  "FORMER_MESSENGER_DATABASE_URL", "FORMER_DATABASE_PASSWORD", "AMQP_URL", "REDIS_URL", "S3_ACCESS_KEY",
  "S3_SECRET_KEY", "BACKUP_S3_ACCESS_KEY", "BACKUP_S3_SECRET_KEY", "IDENTITY_ADMIN_PASSWORD", "CLIENT_SECRET",
  "APP_KEY", "APP_KEY_PREVIOUS", "CONSOLE_CLIENT_SECRET", "HARBOR_URL", "MASTER_IMAGES_TOKEN", "WORKER_CLIENT_SECRET"
]
{{- end -}}

{{/* Secrets that are no variables of the same name: a path, and AMQP_URL of the workers. */}}
{{- define "analysis-hub.namedSecrets" -}}
["IMAGE_SIGNING_KEY", "WORKER_AMQP_URL"]
{{- end -}}

{{/* The secrets that the users name in addition to the required ones. */}}
{{- define "analysis-hub.chosenSecrets" -}}
{{- concat .Values.secrets.additional (keys .Values.secrets.from) | uniq | sortAlpha | toJson -}}
{{- end -}}

{{/* Whether each surface has a database of its own, so that DATABASE_URL is not needed. */}}
{{- define "analysis-hub.hasOwnDatabases" -}}
{{- $chosen := include "analysis-hub.chosenSecrets" . | fromJsonArray -}}
{{- $surfaces := list "CORE" "STORAGE" "TELEMETRY" "MESSENGER" -}}
{{- if not .Values.identity.url -}}
{{- $surfaces = append $surfaces "IDENTITY" -}}
{{- end -}}
{{- $missing := 0 -}}
{{- range $surfaces -}}
{{- if not (has (printf "%s_DATABASE_URL" .) $chosen) -}}
{{- $missing = add1 $missing -}}
{{- end -}}
{{- end -}}
{{- if eq (int $missing) 0 -}}true{{- end -}}
{{- end -}}

{{/* The secrets without which no component but the worker starts. */}}
{{- define "analysis-hub.requiredSecrets" -}}
{{- $names := list "AMQP_URL" "REDIS_URL" "APP_KEY" "CLIENT_SECRET" -}}
{{- if not (include "analysis-hub.hasOwnDatabases" .) -}}
{{- $names = prepend $names "DATABASE_URL" -}}
{{- end -}}
{{- if not .Values.identity.url -}}
{{- $names = append $names "IDENTITY_ADMIN_PASSWORD" -}}
{{- end -}}
{{- if .Values.s3.endpoint -}}
{{- $names = concat $names (list "S3_ACCESS_KEY" "S3_SECRET_KEY") -}}
{{- end -}}
{{- if .Values.worker.enabled -}}
{{- $names = concat $names (list "IMAGE_SIGNING_KEY" "WORKER_CLIENT_SECRET") -}}
{{- end -}}
{{- toJson $names -}}
{{- end -}}

{{/* Whether workers have an account of their own at the broker. */}}
{{- define "analysis-hub.hasWorkerAccount" -}}
{{- if has "WORKER_AMQP_URL" (include "analysis-hub.chosenSecrets" . | fromJsonArray) -}}true{{- end -}}
{{- end -}}

{{/* The secrets of a component. A worker gets what it signs and logs in with, and nothing of the hub. It takes root and component. */}}
{{- define "analysis-hub.secretsOf" -}}
{{- $names := list -}}
{{- if not .root.Values.trial.enabled -}}
{{- $names = concat (include "analysis-hub.requiredSecrets" .root | fromJsonArray) (include "analysis-hub.chosenSecrets" .root | fromJsonArray) | uniq | sortAlpha -}}
{{- end -}}
{{- $shown := list -}}
{{- $ofWorkers := list (eq (include "analysis-hub.hasWorkerAccount" .root) "true" | ternary "WORKER_AMQP_URL" "AMQP_URL") "IMAGE_SIGNING_KEY" "MASTER_IMAGES_TOKEN" "WORKER_CLIENT_SECRET" -}}
{{- $onlyOfWorkers := list "WORKER_AMQP_URL" "MASTER_IMAGES_TOKEN" -}}
{{- if .root.Values.identity.url -}}
{{- $onlyOfWorkers = append $onlyOfWorkers "WORKER_CLIENT_SECRET" -}}
{{- end -}}
{{- range $names -}}
{{- if (eq $.component "worker") | ternary (has . $ofWorkers) (not (has . $onlyOfWorkers)) -}}
{{- $shown = append $shown . -}}
{{- end -}}
{{- end -}}
{{- toJson $shown -}}
{{- end -}}

{{/* The variables that name the files. IMAGE_SIGNING_KEY is a path itself. It takes root and component. */}}
{{- define "analysis-hub.secretFiles" -}}
{{- range include "analysis-hub.secretsOf" . | fromJsonArray }}
{{- $variable := eq . "WORKER_AMQP_URL" | ternary "AMQP_URL" . }}
- name: {{ eq . "IMAGE_SIGNING_KEY" | ternary . (printf "%s_FILE" $variable) }}
  value: /run/secrets/analysis-hub/{{ . }}
{{- end }}
{{- end -}}

{{/* The volume with the files. It takes root and component. */}}
{{- define "analysis-hub.secretSources" -}}
{{- range $name := include "analysis-hub.secretsOf" . | fromJsonArray }}
{{- $from := get $.root.Values.secrets.from $name | default (dict "name" $.root.Values.secrets.existingSecret "key" $name) }}
- secret:
    name: {{ $from.name }}
    items:
      - key: {{ $from.key }}
        path: {{ $name }}
{{- end }}
{{- end -}}
