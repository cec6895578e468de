import type { LinkedProject, DesiredProject } from '#core/registries/registry_driver'
import { clock } from '#kernel/clock'
import { NullDriver } from './null_driver.js'

const SECRET_BYTES = 24

/**
 * The folder of images of this installation. It asks nobody who they are, and a name is good as it is; a project has an account all the same, since
 * programs of nodes show the address of an image only where they have one.
 */
export class LocalImagesDriver extends NullDriver {
  override async link({ name, account, newSecret }: DesiredProject): Promise<LinkedProject> {
    const secret = newSecret ?? account?.secret ?? clock.random(SECRET_BYTES).toString('hex')
    return { id: name, account: { id: name, name, secret }, webhookId: null }
  }
}
