import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'

/** The programs of a container, by its first argument. */
const PROGRAMS: Readonly<Record<string, () => Promise<unknown>>> = {
  hub: () => import('./server.js'),
  pool: () => import('./pool.js'),
  worker: () => import('./server.js'),
  node: () => import('./hub_node.js'),
  hubctl: () => import('./hubctl.js'),
  ace: () => import('./console.js'),
}

const [role = ''] = process.argv.splice(2, 1)
const start = Object.hasOwn(PROGRAMS, role) ? PROGRAMS[role] : undefined
if (start) {
  prepare()
  await start()
} else {
  const roles = Object.keys(PROGRAMS).join(', ')
  console.error(`"${role}" is no role of this image: begin with one of ${roles}.`)
  process.exitCode = 2
}

function prepare(): void {
  if (role === 'worker') {
    process.env.SURFACES ??= 'none'
    process.env.JOBS ??= 'worker'
  }
  if (!isWritable(tmpdir())) {
    const folder = join(process.env.DATA_DIR ?? '.', 'tmp')
    mkdirSync(folder, { recursive: true })
    process.env.TMPDIR = folder
  }
}

/** With a read-only root, it is so only where a temporary file system is mounted. */
function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
