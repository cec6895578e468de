import type { LinkedProject, WantedProject } from '#core/registries/driver'
import { NoDriver } from './none.js'

/** The folder of images of this installation: there are no accounts, and a name is good as it is. */
export class LocalImages extends NoDriver {
  override async link({ name }: WantedProject): Promise<LinkedProject> {
    return { id: name, account: null, webhookId: null }
  }
}
