import { AnalysisLocked } from './bucket_locks.js'
import type { CodeRecords } from './code_records.js'

/** Without the address of core it is unknown whether the code is being built. */
export const withoutCodeRecords: CodeRecords = {
  async remove() {
    throw new AnalysisLocked()
  },
}
