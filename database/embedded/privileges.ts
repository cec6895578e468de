import { lchown, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Binaries } from './binaries.js'
import { type EmbeddedPostgresError, ProgramsUnusable, SystemToolMissing } from './errors.js'
import { Launcher } from './launcher.js'

const nobody = { uid: 65534, gid: 65534 }

/**
 * Chooses the user of PostgreSQL, which refuses to run as root. For root: the owner of the data folder if that is
 * another user, a user namespace if the system allows one, else "nobody", who then owns the folder.
 */
export async function chooseLauncher(
  folder: string,
  binaries: Binaries,
  libraryPath: string
): Promise<Launcher> {
  if (process.getuid?.() !== 0) {
    return usable(Launcher.asThisUser(binaries, libraryPath))
  }

  const owner = await stat(folder)
  if (owner.uid === 0) {
    const namespaced = Launcher.inUserNamespace(binaries, libraryPath)
    const attempt = await namespaced.run(binaries.postgres, ['--version'])
    if (attempt.ok) {
      return namespaced
    }
  }
  const { uid, gid } = owner.uid === 0 ? nobody : owner
  const launcher = Launcher.asUser(uid, gid, binaries, libraryPath)
  for (const path of [dirname(folder), binaries.postgres]) {
    const reach = await launcher.run('test', ['-x', path])
    const reason = `PostgreSQL must not run as root, and user ${uid} cannot reach ${path}`
    if (!reach.ok) {
      throw unusable(reach.output || reason)
    }
  }
  if (owner.uid === 0) {
    await giveAway(folder, nobody)
  }
  return usable(launcher)
}

async function usable(launcher: Launcher): Promise<Launcher> {
  const { ok, output } = await launcher.run(launcher.binaries.postgres, ['--version'])
  if (!ok) {
    throw unusable(output)
  }
  return launcher
}

function unusable(output: string): EmbeddedPostgresError {
  const [, missingTool] = /^spawn (\S+) ENOENT/.exec(output) ?? []
  if (missingTool) {
    return new SystemToolMissing(missingTool)
  }
  return new ProgramsUnusable(output.trim().split('\n').at(-1) || 'no reason given')
}

/** The folder itself is changed last: if it is changed, everything in it is. */
async function giveAway(folder: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  const entries = await readdir(folder, { recursive: true })
  for (const entry of entries) {
    await lchown(join(folder, entry), uid, gid)
  }
  await lchown(folder, uid, gid)
}
