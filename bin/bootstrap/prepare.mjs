import { build, isBuilt } from './build.mjs'
import { install, isInstalled } from './install.mjs'
import { exclusively } from './lock.mjs'
import { findNode } from './node.mjs'

/** Installs and builds what is missing or outdated; `built` is whether the program needs a build. */
export async function prepare(root, { built }) {
  const isReady = () => isInstalled(root) && (!built || isBuilt(root))
  if (isReady()) {
    return
  }
  await exclusively(root, async () => {
    if (!isInstalled(root)) {
      await install(root)
    }
    if (!isReady()) {
      await build(root, findNode(root))
    }
  })
}
