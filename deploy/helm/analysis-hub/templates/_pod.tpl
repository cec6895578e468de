{{/* What every pod is held to: the restricted level of Pod Security. */}}
{{- define "analysis-hub.podSecurity" -}}
automountServiceAccountToken: false
# Variables named after services, such as ADMIN_PORT of a service "admin", would be taken for settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  seccompProfile:
    type: RuntimeDefault
  {{- if not .Values.podSecurity.arbitraryUser }}
  runAsUser: {{ int64 .Values.podSecurity.user }}
  runAsGroup: {{ int64 .Values.podSecurity.group }}
  fsGroup: {{ int64 .Values.podSecurity.group }}
  fsGroupChangePolicy: OnRootMismatch
  {{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "analysis-hub.containerSecurity" -}}
image: {{ include "analysis-hub.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  capabilities:
    drop: [ALL]
  privileged: false
  readOnlyRootFilesystem: true
{{- end -}}

{{/* Where pods run. */}}
{{- define "analysis-hub.placement" -}}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The volumes of a program and where they are mounted. It takes root and component. */}}
{{- define "analysis-hub.mounts" -}}
- name: data
  mountPath: /data
- name: temporary
  mountPath: /tmp
{{- if include "analysis-hub.secretsOf" . | fromJsonArray }}
- name: secrets
  mountPath: /run/secrets/analysis-hub
  readOnly: true
{{- end }}
{{- if .root.Values.caCertificates.configMap }}
- name: certificates
  mountPath: /run/certificates
  readOnly: true
{{- end }}
{{- if and .root.Values.files.existingClaim (ne .component "worker") }}
- name: files
  mountPath: /files
{{- end }}
{{- if .root.Values.images.existingClaim }}
- name: images
  mountPath: /images
{{- end }}
{{- end -}}

{{/* All volumes but that of /data. It takes root and component. */}}
{{- define "analysis-hub.volumes" -}}
- name: temporary
  emptyDir:
    sizeLimit: {{ .root.Values.temporaryFiles.sizeLimit }}
{{- if include "analysis-hub.secretsOf" . | fromJsonArray }}
- name: secrets
  projected:
    # Only this pod sees the volume, and its user may be any.
    defaultMode: 0444
    sources:
      {{- include "analysis-hub.secretSources" . | trim | nindent 6 }}
{{- end }}
{{- with .root.Values.caCertificates }}
{{- if .configMap }}
- name: certificates
  configMap:
    name: {{ .configMap }}
    items:
      - key: {{ .key }}
        path: ca.crt
{{- end }}
{{- end }}
{{- if and .root.Values.files.existingClaim (ne .component "worker") }}
- name: files
  persistentVolumeClaim:
    claimName: {{ .root.Values.files.existingClaim }}
{{- end }}
{{- if .root.Values.images.existingClaim }}
- name: images
  persistentVolumeClaim:
    claimName: {{ .root.Values.images.existingClaim }}
{{- end }}
{{- end -}}

{{/* The volume of /data. A worker has one of its own in its StatefulSet. It takes root and component. */}}
{{- define "analysis-hub.dataVolume" -}}
{{- if and .root.Values.trial.enabled .root.Values.trial.persistence.enabled }}
- name: data
  persistentVolumeClaim:
    claimName: {{ include "analysis-hub.fullname" .root }}-trial
{{- else if not (and (eq .component "worker") .root.Values.worker.persistence.enabled) }}
- name: data
  emptyDir:
    sizeLimit: {{ .root.Values.temporaryFiles.sizeLimit }}
{{- end }}
{{- end -}}

{{/* The template of the pods of a component: hub, jobs or worker. It takes root and component. */}}
{{- define "analysis-hub.pod" -}}
{{- $root := .root -}}
{{- $component := .component -}}
{{- $isHub := eq $component "hub" -}}
{{- $delay := $isHub | ternary (int $root.Values.endpointsDelaySeconds) 0 -}}
metadata:
  labels:
    {{- include "analysis-hub.labels" $root | nindent 4 }}
    app.kubernetes.io/component: {{ $component }}
    {{- with $root.Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # Other settings are other pods.
    checksum/settings: {{ include "analysis-hub.settings" . | sha256sum }}
    {{- with $root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "analysis-hub.serviceAccount" $root }}
  {{- include "analysis-hub.podSecurity" $root | nindent 2 }}
  # DRAIN_DELAY_SECONDS, and a drain of up to 28 seconds.
  terminationGracePeriodSeconds: {{ add $delay 35 }}
  {{- with include "analysis-hub.placement" $root | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "analysis-hub.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ $component }}
    {{- end }}
  containers:
    - name: {{ $component }}
      {{- include "analysis-hub.containerSecurity" $root | nindent 6 }}
      args: [{{ eq $component "worker" | ternary "worker" "hub" }}]
      envFrom:
        - configMapRef:
            name: {{ include "analysis-hub.fullname" $root }}-{{ $component }}
      {{- with include "analysis-hub.secretFiles" . | trim }}
      env:
        {{- . | nindent 8 }}
      {{- end }}
      ports:
        {{- if $isHub }}
        - name: http
          containerPort: 3000
        {{- end }}
        - name: admin
          containerPort: 3009
      # The port opens when everything has started, after the migrations where no job ran them.
      startupProbe:
        httpGet: { path: /health/live, port: admin }
        periodSeconds: 5
        failureThreshold: 120
      livenessProbe:
        httpGet: { path: /health/live, port: admin }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /health/ready, port: admin }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      resources:
        {{- toYaml (get $root.Values $component).resources | nindent 8 }}
      volumeMounts:
        {{- include "analysis-hub.mounts" . | nindent 8 }}
  volumes:
    {{- include "analysis-hub.volumes" . | nindent 4 }}
    {{- with include "analysis-hub.dataVolume" . | trim }}
    {{- . | nindent 4 }}
    {{- end }}
{{- end -}}
