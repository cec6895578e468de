import { NOT_USED, type Check } from '#doctor/check'
import { finding } from '#doctor/finding'
import { lateHeads } from '#telemetry/trail/late_heads'

/** Checks that the heads of the audit trail are anchored outside of the database. */
export const auditHeadsCheck: Check = {
  name: 'audit heads',
  async run(context) {
    const { pool } = context.databaseOf('telemetry') ?? {}
    if (!pool) {
      return NOT_USED
    }
    const problem = await lateHeads(pool)
    return problem === undefined ? [] : [finding('AUDIT_HEADS_NOT_KEPT', problem)]
  },
}
