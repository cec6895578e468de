/** The S3 bucket of audit anchors if S3_BUCKET is unset. */
export const AUDIT_BUCKET = 'analysis-hub-audit'
