{{- define "foyer.name" -}}
{{- .Values.nameOverride | default .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "foyer.labels" -}}
app.kubernetes.io/name: foyer
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* Of one process; a selector can't be changed later. */}}
{{- define "foyer.selector" -}}
app.kubernetes.io/name: foyer
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "foyer.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* The settings, and those of the Secret. */}}
{{- define "foyer.environment" -}}
env:
  - name: PUBLIC_URL
    value: {{ required "publicUrl is required, for example https://inbox.example.com" .Values.publicUrl | quote }}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | toString | quote }}
  {{- end }}
envFrom:
  - secretRef:
      name: {{ required "existingSecret is required: a Secret with DATABASE_URL and SECRET_KEY" .Values.existingSecret }}
{{- end -}}

{{/* The root is read-only: Foyer writes to its data folder and to /tmp. */}}
{{- define "foyer.container" -}}
image: {{ include "foyer.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: data
    mountPath: /data
  - name: tmp
    mountPath: /tmp
  {{- if .Values.files.existingClaim }}
  - name: files
    mountPath: /data/files
  {{- end }}
{{ include "foyer.environment" . }}
{{- end -}}

{{- define "foyer.pod" -}}
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
volumes:
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
  {{- if .Values.files.existingClaim }}
  - name: files
    persistentVolumeClaim:
      claimName: {{ .Values.files.existingClaim }}
  {{- end }}
{{- end -}}
