import type { LinkedProject, DesiredProject } from '#core/registries/registry_driver'
import { clock } from '#kernel/clock'
import { NullDriver } from './null_driver.js'

const SECRET_BYTES = 24

/**
 * The image folder of this installation, which has no authentication. Projects get an account nevertheless, since the
 * software of nodes shows the address of an image only if there is one.
 */
export class LocalImagesDriver extends NullDriver {
  override async link({ name, account, newSecret }: DesiredProject): Promise<LinkedProject> {
    const secret = newSecret ?? account?.secret ?? clock.random(SECRET_BYTES).toString('hex')
    return { id: name, account: { id: name, name, secret }, webhookId: null, isPublic: null }
  }
}
