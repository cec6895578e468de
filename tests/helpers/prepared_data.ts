import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { jobOfThisProcess } from '#tests/runner/job'

const copy = promisify(execFile)

/**
 * Saves an installation the making of its database where a run of tests has made one: the tables are there, and nothing in
 * them. Keys, secrets and records are made by the first start, as always.
 */
export async function prepareData(dataDir: string): Promise<void> {
  const cluster = jobOfThisProcess()?.cluster
  if (cluster) {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await copy('cp', ['-a', cluster, join(dataDir, 'postgres')])
  }
}
