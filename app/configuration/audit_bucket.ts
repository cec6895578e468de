/** The S3 bucket for what is noted of the audit trail, where there is none for everything. */
export const AUDIT_BUCKET = 'analysis-hub-audit'
