import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { removeDraft, type DataFolder } from './data_folder.js'
import { PostgresFailed } from './errors.js'
import type { Launcher } from './launcher.js'

export const role = 'hub'

/** Only the hub's own role can connect. The superuser has no password and is used in single-user mode only. */
const accessRules = `host all ${role} 127.0.0.1/32 scram-sha-256\n`

/** Byte order collation with Unicode case mapping, identical on every machine. */
const localeOptions = [
  '--encoding=UTF8',
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
]

/**
 * Creates the cluster under a temporary name and renames it when it is complete and synced, so that an interrupted
 * first start leaves nothing that looks like data.
 */
export async function createCluster(folder: DataFolder, launcher: Launcher): Promise<void> {
  const { initdb } = launcher.binaries
  const draft = await folder.draftCluster()
  try {
    const options = [
      '--username=postgres',
      '--auth=reject',
      '--no-instructions',
      '--no-sync',
      ...localeOptions,
    ]
    await succeed(launcher.run(initdb, [...options, '-D', draft]))
    await writeFile(join(draft, 'pg_hba.conf'), accessRules)
    await renewPassword(folder, draft, launcher)
    await succeed(launcher.run(initdb, ['--sync-only', '-D', draft]))
    await folder.completeCluster(draft)
  } catch (error) {
    await removeDraft(draft)
    throw error
  }
}

/**
 * Sets a new password for the hub's role and creates the role if needed. No server may run on the cluster. The password
 * is passed on stdin, since any user can read process arguments.
 */
export async function renewPassword(
  folder: DataFolder,
  cluster: string,
  launcher: Launcher
): Promise<void> {
  const password = randomBytes(24).toString('base64url')
  const statements = [
    `do $$ begin create role ${role} login createdb; exception when duplicate_object then null; end $$`,
    `grant pg_monitor to ${role}`,
    `alter role ${role} password '${password}'`,
  ]
  // The output may be shown to users, so it must not contain statements.
  const quiet = ['-c', 'log_min_error_statement=panic', '-c', 'log_checkpoints=off']
  const options = ['--single', '-D', cluster, ...quiet, 'postgres']
  const { ok, output } = await launcher.run(
    launcher.binaries.postgres,
    options,
    statements.join('\n') + '\n'
  )
  if (!ok || /\b(ERROR|FATAL|PANIC):/.test(output)) {
    throw failed(output)
  }
  await folder.keepPassword(password)
}

async function succeed(run: Promise<{ ok: boolean; output: string }>): Promise<void> {
  const { ok, output } = await run
  if (!ok) {
    throw failed(output)
  }
}

function failed(output: string): PostgresFailed {
  return new PostgresFailed(
    'The embedded database could not be created',
    output.trim().split('\n').slice(-6).join('\n')
  )
}
