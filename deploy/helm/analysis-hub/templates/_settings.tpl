{{/* The variables of a component that are no secrets. It takes root and component. */}}
{{- define "analysis-hub.settings" -}}
{{- $values := .root.Values -}}
{{- $settings := dict -}}
{{- range $name, $value := $values.settings -}}
{{- /* JSON writes a large number without an exponent. */ -}}
{{- $_ := set $settings $name (kindIs "string" $value | ternary $value (toJson $value)) -}}
{{- end -}}
{{- $_ := set $settings "PUBLIC_URL" $values.publicUrl -}}
{{- $_ := set $settings "HOST" ($settings.HOST | default "0.0.0.0") -}}
{{- if eq .component "hub" -}}
{{- $_ := set $settings "DRAIN_DELAY_SECONDS" (toString $values.endpointsDelaySeconds) -}}
{{- end -}}
{{- $_ := set $settings "HEALTH_HOST" ($settings.HEALTH_HOST | default "0.0.0.0") -}}
{{- $_ := set $settings "PORT" "3000" -}}
{{- $_ := set $settings "ADMIN_PORT" "3009" -}}
{{- $_ := set $settings "DATA_DIR" "/data" -}}
{{- if $values.metrics.enabled -}}
{{- $_ := set $settings "ADMIN_HOST" "0.0.0.0" -}}
{{- end -}}
{{- with $values.trustedProxies -}}
{{- $_ := set $settings "TRUSTED_PROXIES" (join "," .) -}}
{{- end -}}
{{- if $values.caCertificates.configMap -}}
{{- $_ := set $settings "NODE_EXTRA_CA_CERTS" "/run/certificates/ca.crt" -}}
{{- end -}}
{{- if $values.images.existingClaim -}}
{{- $_ := set $settings "IMAGES_PATH" "/images" -}}
{{- end -}}
{{- if $values.trial.enabled -}}
{{- $_ := set $settings "NODE_ENV" "development" -}}
{{- else -}}
{{- $_ := set $settings "NODE_ENV" "production" -}}
{{- include "analysis-hub.componentSettings" (dict "root" .root "component" .component "settings" $settings) -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{/* Adds what a component of a production has: a worker reaches the others over HTTP, and stores nothing itself. */}}
{{- define "analysis-hub.componentSettings" -}}
{{- $values := .root.Values -}}
{{- $settings := .settings -}}
{{- if eq .component "worker" -}}
{{- $url := include "analysis-hub.internalUrl" .root -}}
{{- $_ := set $settings "SURFACES" "none" -}}
{{- $_ := set $settings "JOBS" "worker" -}}
{{- $_ := set $settings "WORKER_CLIENT_ID" ($settings.WORKER_CLIENT_ID | default "worker") -}}
{{- if include "analysis-hub.hasWorkerAccount" .root -}}
{{- $_ := set $settings "WORKER_AMQP_LIMITED" "true" -}}
{{- end -}}
{{- $_ := set $settings "CORE_URL" (printf "%s/core" $url) -}}
{{- $_ := set $settings "STORAGE_URL" (printf "%s/storage" $url) -}}
{{- $_ := set $settings "IDENTITY_URL" ($values.identity.url | default (printf "%s/auth" $url)) -}}
{{- else -}}
{{- $isForJobs := eq .component "jobs" -}}
{{- $_ := set $settings "SURFACES" ($isForJobs | ternary "none" "all") -}}
{{- $_ := set $settings "JOBS" ($isForJobs | ternary "bus,outbox,sweeps" "none") -}}
{{- $_ := set $settings "LOGSTORE_URL" $values.logstore.url -}}
{{- if $values.identity.url -}}
{{- $_ := set $settings "IDENTITY_URL" $values.identity.url -}}
{{- else -}}
{{- $_ := set $settings "IDENTITY_EMBEDDED" "true" -}}
{{- end -}}
{{- if $values.s3.endpoint -}}
{{- $_ := set $settings "S3_ENDPOINT" $values.s3.endpoint -}}
{{- $_ := set $settings "S3_REGION" $values.s3.region -}}
{{- $_ := set $settings "S3_FORCE_PATH_STYLE" (toString $values.s3.forcePathStyle) -}}
{{- with $values.s3.bucket -}}
{{- $_ := set $settings "S3_BUCKET" . -}}
{{- end -}}
{{- else -}}
{{- $_ := set $settings "STORAGE_PATH" "/files" -}}
{{- end -}}
{{- end -}}
{{- end -}}
