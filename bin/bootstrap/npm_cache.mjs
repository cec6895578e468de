import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs npm with a writable cache: its own, else a temporary one, since it fails with a read-only home folder. */
export async function withNpmCache(action) {
  const own = process.env.npm_config_cache ?? join(homedir(), '.npm')
  if (
    isWritable(own) &&
    (!existsSync(join(own, '_cacache')) || isWritable(join(own, '_cacache')))
  ) {
    return action({})
  }
  const temporary = mkdtempSync(join(tmpdir(), 'npm-cache-'))
  try {
    return await action({ npm_config_cache: temporary, npm_config_logs_max: '0' })
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

function isWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
