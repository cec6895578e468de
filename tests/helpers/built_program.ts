import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

let building: Promise<void> | undefined

/** Builds what changed, as every start by npm does. */
export function builtProgram(): Promise<void> {
  return (building ??= build())
}

async function build(): Promise<void> {
  const step = (name: string) => import(join(ROOT, 'bin', 'bootstrap', `${name}.mjs`))
  const [builds, { exclusively }] = await Promise.all([step('build'), step('lock')])
  if (!builds.isBuilt(ROOT)) {
    await exclusively(ROOT, () => builds.build(ROOT, process.execPath))
  }
}
