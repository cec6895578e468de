import { join } from 'node:path'

import { clock } from '#kernel/clock'
import type { Assignment, HubNode } from '#node/analyses/hub_analyses'
import { NodeProcess } from '#node/node_process'
import type { MailboxMessage } from '#node/messages/mailbox'
import { Policy } from '#node/policy/policy'
import { KeyPair, publicKeyIn } from '#node/seal/key_pair'
import { sealMessage } from '#node/seal/sealed_message'
import type { NodeSettings } from '#node/settings/node_settings'
import type { ImageStore } from '#oci/image_store'
import { openImageStore } from '#oci/open_image_store'
import { signImage } from '#oci/signing/sign_image'
import { SigningKey } from '#oci/signing/signing_key'
import { putImage } from '#tests/helpers/oci/images'
import { buildFacts } from '#tests/helpers/oci/signed_images/build_facts'
import { temporaryFolder } from '#tests/helpers/temporary_folder'
import { StandInContainers } from './stand_in_containers.js'
import { StandInHub } from './stand_in_hub.js'

const KEY = SigningKey.derivedFrom('a secret of the tests that is long enough')

type Cleanup = (callback: () => Promise<void>) => void

/** A node at a hub that a test controls, with containers that a test answers for, and a partner that sends to it. */
export class NodeScene {
  readonly containers = new StandInContainers()
  /** What the node printed for its operator. */
  readonly lines: string[] = []
  readonly #cleanup: Cleanup

  private constructor(
    readonly hub: StandInHub,
    readonly settings: NodeSettings,
    readonly node: HubNode,
    readonly partner: HubNode,
    readonly partnerKeys: KeyPair,
    readonly images: ImageStore,
    cleanup: Cleanup
  ) {
    this.#cleanup = cleanup
  }

  static async set(cleanup: Cleanup, policy = new Policy({ atOnce: 8 })): Promise<NodeScene> {
    const folder = await temporaryFolder(cleanup)
    const hub = await StandInHub.listen(cleanup)
    const imagesPath = join(folder, 'images')
    const keys = await KeyPair.open(join(folder, 'node', 'node.key'))
    const partnerKeys = await KeyPair.open(join(folder, 'partner.key'))
    const node = nodeWith('node', keys)
    const partner = nodeWith('partner', partnerKeys)
    hub.nodes.push(node, partner)
    const settings: NodeSettings = {
      hub: { url: hub.url },
      credentials: { id: node.clientId!, secret: 'secret' },
      credentialsFile: 'credentials.json',
      approver: undefined,
      signingKey: KEY.public.pem,
      imagesPath,
      policy,
      folder: join(folder, 'node'),
      isolation: undefined,
      hangSeconds: 30,
    }
    const images = await openImageStore({ path: imagesPath })
    return new NodeScene(hub, settings, node, partner, partnerKeys, images, cleanup)
  }

  /** Starts the node; it is stopped with the test. */
  async start(): Promise<NodeProcess> {
    const onLine = (line: string) => void this.lines.push(line)
    const node = await NodeProcess.start({
      settings: this.settings,
      containers: this.containers,
      onLine,
    })
    this.#cleanup(() => node.stop())
    return node
  }

  /** An analysis of both nodes, approved, distributed and with its image. */
  async distribute(changes: Partial<Assignment> = {}): Promise<Assignment> {
    const analysisId = changes.analysisId ?? clock.uuid()
    const repository = `node/${analysisId}`
    const image = await putImage(this.images, repository, {
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      files: { 'opt/name': analysisId },
      config: {
        config: { Cmd: ['run'], Labels: { 'analysis-hub.content': this.hub.contentDigest } },
      },
    })
    const target = { store: this.images, repository }
    await signImage(target, image, buildFacts({ name: analysisId }), KEY)
    const assigned = this.hub.assign([this.node, this.partner], {
      artifactDigest: image.digest,
      ...changes,
      analysisId,
    })
    return assigned[0]!
  }

  /** A message of the partner, sealed for the node, as it lies in the mailbox. */
  message(analysisId: string, content: unknown): MailboxMessage {
    const messageId = clock.uuid()
    const keys = {
      privateKey: this.partnerKeys.privateKey,
      publicKey: publicKeyIn(this.node.publicKey!)!,
    }
    return {
      id: clock.uuid(),
      senderType: 'client',
      senderId: this.partner.clientId!,
      data: sealMessage(JSON.stringify(content), keys, { messageId, analysisId }),
      metadata: { analysisId, messageId },
    }
  }
}

const nodeWith = (name: string, keys: KeyPair): HubNode => ({
  id: clock.uuid(),
  name,
  type: 'default',
  clientId: clock.uuid(),
  publicKey: keys.publicKeyText,
  realmId: clock.uuid(),
})
