{{/* Refuses values that the schema cannot, each with a sentence that says what to do. */}}
{{- define "analysis-hub.refusals" -}}
{{- if not .Values.publicUrl -}}
{{- fail "publicUrl is missing: set it to the address that people and nodes use, such as https://hub.example.org." -}}
{{- end -}}
{{- include "analysis-hub.refusedSettings" . -}}
{{- if .Values.trial.enabled -}}
{{- include "analysis-hub.refusedTrial" . -}}
{{- else -}}
{{- include "analysis-hub.refusedParts" . -}}
{{- end -}}
{{- include "analysis-hub.refusedEntries" . -}}
{{- include "analysis-hub.refusedMetrics" . -}}
{{- range $component := include "analysis-hub.components" . | fromJsonArray -}}
{{- with (get $.Values $component).autoscaling -}}
{{- if and .enabled (gt (int .minReplicas) (int .maxReplicas)) -}}
{{- fail (printf "%s.autoscaling has a minReplicas of %v above its maxReplicas of %v: lower the one or raise the other." $component .minReplicas .maxReplicas) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "analysis-hub.refusedSettings" -}}
{{- $secrets := include "analysis-hub.secretVariables" . | fromJsonArray -}}
{{- $own := list "NODE_ENV" "SURFACES" "JOBS" "PORT" "ADMIN_PORT" "ADMIN_HOST" "PUBLIC_URL" "DATA_DIR" "DRAIN_DELAY_SECONDS" "TRUSTED_PROXIES" "S3_ENDPOINT" "S3_REGION" "S3_BUCKET" "S3_FORCE_PATH_STYLE" "STORAGE_PATH" "IMAGES_PATH" "WORKER_PATH" "LOGSTORE_URL" "IDENTITY_URL" "IDENTITY_EMBEDDED" "CORE_URL" "STORAGE_URL" "IMAGE_SIGNING_KEY" "WORKER_AMQP_LIMITED" "NODE_EXTRA_CA_CERTS" -}}
{{- range $name, $value := .Values.settings -}}
{{- if or (has $name $secrets) (has (trimSuffix "_FILE" $name) $secrets) -}}
{{- fail (printf "settings.%s is a secret, and everybody who sees the release could read it: put it into a Secret, and name that in secrets.existingSecret or secrets.from.%s." $name (trimSuffix "_FILE" $name)) -}}
{{- end -}}
{{- if has $name $own -}}
{{- fail (printf "settings.%s is a variable that the chart sets itself: remove it, and use the value of the chart for it." $name) -}}
{{- end -}}
{{- end -}}
{{- range include "analysis-hub.chosenSecrets" . | fromJsonArray -}}
{{- if not (has . (concat $secrets (include "analysis-hub.namedSecrets" $ | fromJsonArray))) -}}
{{- fail (printf "secrets names %s, which is no secret of the hub: docs/configuration.md lists those there are." .) -}}
{{- end -}}
{{- end -}}
{{- range .Values.secrets.additional -}}
{{- if not (or $.Values.secrets.existingSecret (hasKey $.Values.secrets.from .)) -}}
{{- fail (printf "secrets.additional names %s, but secrets.existingSecret is empty: name the Secret that has it." .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "analysis-hub.refusedTrial" -}}
{{- $external := dict "secrets.existingSecret" .Values.secrets.existingSecret "secrets.from" .Values.secrets.from "identity.url" .Values.identity.url "logstore.url" .Values.logstore.url "s3.endpoint" .Values.s3.endpoint "files.existingClaim" .Values.files.existingClaim "images.existingClaim" .Values.images.existingClaim -}}
{{- range $name, $value := $external -}}
{{- if $value -}}
{{- fail (printf "trial.enabled has all parts in one process, and %s names another one: remove it, or set trial.enabled to false." $name) -}}
{{- end -}}
{{- end -}}
{{- if .Values.hub.autoscaling.enabled -}}
{{- fail "trial.enabled is one process with its own database and broker, which has no replicas: set hub.autoscaling.enabled or trial.enabled to false." -}}
{{- end -}}
{{- end -}}

{{- define "analysis-hub.refusedParts" -}}
{{- $reasons := dict
  "DATABASE_URL" "No database: the address of PostgreSQL is missing"
  "AMQP_URL" "No message bus: the address of RabbitMQ is missing"
  "REDIS_URL" "No Redis: several processes cannot work together without it"
  "APP_KEY" "No APP_KEY: stored secrets cannot be encrypted"
  "CLIENT_SECRET" "No CLIENT_SECRET: the hub cannot log in at the identity provider"
  "IDENTITY_ADMIN_PASSWORD" "No IDENTITY_ADMIN_PASSWORD: the embedded identity provider has no first password"
  "S3_ACCESS_KEY" "No S3_ACCESS_KEY: s3.endpoint cannot be used without an account"
  "IMAGE_SIGNING_KEY" "No IMAGE_SIGNING_KEY: workers cannot sign images without it (docs/worker.md says how to get it)"
  "WORKER_CLIENT_SECRET" "No WORKER_CLIENT_SECRET: workers have a client of their own to log in with (docs/worker.md says how to get it)"
  "S3_SECRET_KEY" "No S3_SECRET_KEY: s3.endpoint cannot be used without an account"
-}}
{{- range $name := include "analysis-hub.requiredSecrets" . | fromJsonArray -}}
{{- if not (or $.Values.secrets.existingSecret (hasKey $.Values.secrets.from $name)) -}}
{{- fail (printf "%s. Name a Secret that has it in secrets.existingSecret or secrets.from.%s, or set trial.enabled to try the hub without other servers." (get $reasons $name) $name) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.s3.endpoint .Values.files.existingClaim -}}
{{- fail "s3.endpoint and files.existingClaim both say where files are: remove one of them." -}}
{{- end -}}
{{- if not (or .Values.s3.endpoint .Values.files.existingClaim) -}}
{{- fail "No place for files: set s3.endpoint, or files.existingClaim to a volume that all pods can mount." -}}
{{- end -}}
{{- if not .Values.logstore.url -}}
{{- fail "No log store: set logstore.url to your VictoriaLogs; several processes cannot share one in memory." -}}
{{- end -}}
{{- end -}}

{{- define "analysis-hub.refusedEntries" -}}
{{- if and .Values.ingress.enabled .Values.gateway.enabled -}}
{{- $host := include "analysis-hub.publicHost" . -}}
{{- if eq (.Values.ingress.host | default $host) (.Values.gateway.host | default $host) -}}
{{- fail (printf "ingress and gateway would both serve %s: turn one of them off, or give it another host." (.Values.ingress.host | default $host)) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.gateway.enabled (not .Values.gateway.parentRefs) -}}
{{- fail "gateway.parentRefs is empty: name the Gateway that the route belongs to." -}}
{{- end -}}
{{- if and (or .Values.ingress.enabled .Values.gateway.enabled) (not .Values.trustedProxies) -}}
{{- fail "trustedProxies is empty, so all callers behind the ingress or gateway would count as one: set it to the addresses of the proxies, such as 10.0.0.0/8." -}}
{{- end -}}
{{- end -}}

{{- define "analysis-hub.refusedMetrics" -}}
{{- if and (or .Values.metrics.serviceMonitor.enabled .Values.metrics.prometheusRule.enabled) (not .Values.metrics.enabled) -}}
{{- fail "metrics.serviceMonitor and metrics.prometheusRule need metrics that are served: set metrics.enabled to true." -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled .Values.networkPolicy.egress.restricted (not .Values.networkPolicy.egress.rules) (not .Values.trial.enabled) -}}
{{- fail "networkPolicy.egress.restricted without networkPolicy.egress.rules would cut the hub off from its database: add rules for the servers it needs, or set networkPolicy.egress.restricted to false." -}}
{{- end -}}
{{- if .Values.networkPolicy.enabled -}}
{{- if and (or .Values.ingress.enabled .Values.gateway.enabled) (not .Values.networkPolicy.clients) -}}
{{- fail "networkPolicy.clients is empty, so the ingress or gateway could not reach the hub: name the pods that may, such as those of the controller, or all with {namespaceSelector: {}}." -}}
{{- end -}}
{{- if and .Values.metrics.enabled (not .Values.networkPolicy.monitoring) -}}
{{- fail "networkPolicy.monitoring is empty, so nobody could read the metrics: name the pods of Prometheus, or all with {namespaceSelector: {}}." -}}
{{- end -}}
{{- end -}}
{{- end -}}
