import type { Disk } from 'flydrive'

import { telemetrySettings } from '#telemetry/telemetry_settings'
import { DriveAnchor, inBucket, inFolder } from './drive_anchor.js'
import type { HeadAnchor } from './head_anchor.js'
import { makeAuditBucket } from './make_audit_bucket.js'

/** Opens the store of heads: next to the objects, in an S3 bucket or a folder. */
export function openHeadAnchor(disk: Disk): HeadAnchor {
  const { auditBucket, auditFolder } = telemetrySettings()
  const replace = auditBucket
    ? inBucket(disk, () => makeAuditBucket(auditBucket))
    : inFolder(auditFolder)
  return new DriveAnchor(disk, replace)
}
