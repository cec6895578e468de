import { Command } from 'commander'

import { EXIT } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import type { Api } from '#hubctl/platform/api'
import { Problem } from '#hubctl/problem'
import { ImageKey } from '#oci/signing/image_key'

interface PublishedKey {
  readonly fingerprint: string
  readonly publicKey: string
  readonly isCurrent: boolean
}

const HELP = `
The output is for cosign, podman and hubctl image verify --key. Compare the
fingerprint with the one you get from the operators of the hub by another way.

Example:
  hubctl image key > hub.pub`

export function keyCommand(): Command {
  return new Command('key')
    .description('show the public key that images are signed with')
    .option('--all', 'also the keys whose signatures are still accepted')
    .addHelpText('after', HELP)
    .action(perform(show))
}

/** The keys whose signatures the hub accepts, the current one first. */
export async function acceptedKeys(api: Api): Promise<readonly ImageKey[]> {
  const keys = await readKeys(api)
  return keys.map(({ publicKey }) => ImageKey.from(publicKey, 'A key of the hub'))
}

async function readKeys(api: Api): Promise<readonly [PublishedKey, ...PublishedKey[]]> {
  const { data } = await api.read<{ data: readonly PublishedKey[] }>('core', '/image-keys')
  const [first, ...others] = data
  if (!first) {
    throw new Problem(EXIT.notFound, 'The hub has no key for images.')
  }
  return [first, ...others]
}

async function show(invocation: Invocation<{ all?: boolean }>): Promise<void> {
  const { options, output } = invocation
  const api = await invocation.api()
  const keys = await readKeys(api)
  const wanted = options.all ? keys : keys.slice(0, 1)
  if (!output.isTable) {
    return output.value(wanted)
  }
  for (const { publicKey, fingerprint } of wanted) {
    output.line(publicKey.trimEnd())
    output.note(`Fingerprint: ${fingerprint}`)
  }
}
