import { isDeepStrictEqual } from 'node:util'

import type { Shelf } from '#oci/copy_blob'
import type { StoredManifest } from '#oci/image_store'
import { attach, type Attachment } from './attach.js'
import { Attached } from './attached.js'
import { PROVENANCE, SIGNATURE } from './attachment_kinds.js'
import { envelopeAround } from './envelope.js'
import { ImageRefused } from './failures.js'
import { identityOf } from './identity.js'
import { PREDICATE_TYPE, statementOf, type BuildFacts } from './provenance.js'
import { payloadOf, SIGNATURE_ANNOTATION } from './simple_signing.js'
import type { SigningKey } from './signing_key.js'
import { attachedProvenance, verifyAttached } from './verify_image.js'

export interface SignOptions {
  /** The image was not there until now, so that nobody has attached anything to it. */
  readonly isNew?: boolean | undefined
  /** When the image is there, where it is put meanwhile. */
  readonly isThere?: Promise<unknown> | undefined
  readonly configIsThere?: Promise<unknown> | undefined
}

/**
 * Attaches to an image how it came to be, and then the signature: what is signed has its provenance. What is there already of this key and
 * says the same stays, so that a build that is done twice leaves one of each.
 */
export async function signImage(
  shelf: Shelf,
  image: StoredManifest,
  facts: BuildFacts,
  key: SigningKey,
  { isNew = false, ...meanwhile }: SignOptions = {}
): Promise<void> {
  const { digest } = image
  const before = isNew ? undefined : new Attached(shelf, digest)
  const [described, signed] = before
    ? await Promise.all([isDescribed(before, facts, key), isSigned(before, facts, key)])
    : [false, false]
  const attachments = [
    ...(described ? [] : [provenance(digest, facts, key)]),
    ...(signed ? [] : [signature(digest, facts, key)]),
  ]
  await attach(shelf, image, attachments, { before, ...meanwhile })
}

function provenance(digest: string, facts: BuildFacts, key: SigningKey): Attachment {
  const bytes = envelopeAround(statementOf(digest, facts), key)
  const annotations = { [SIGNATURE_ANNOTATION]: '', predicateType: PREDICATE_TYPE }
  return { kind: PROVENANCE, layer: { bytes, annotations } }
}

function signature(digest: string, facts: BuildFacts, key: SigningKey): Attachment {
  const claim = { digest, identity: identityOf(facts.name), said: facts.said ?? {} }
  const bytes = payloadOf(claim)
  const annotations = { [SIGNATURE_ANNOTATION]: key.sign(bytes).toString('base64') }
  return { kind: SIGNATURE, layer: { bytes, annotations } }
}

/** Whether it was said already of what it was made; when and by which run is that of the first. */
async function isDescribed(attached: Attached, facts: BuildFacts, key: SigningKey) {
  const found = await attachedProvenance(attached, [key.public])
  const wanted = statementOf(attached.digest, facts).predicate.buildDefinition
  return isDeepStrictEqual(found?.statement.predicate.buildDefinition, asJson(wanted))
}

async function isSigned(attached: Attached, { name }: BuildFacts, key: SigningKey) {
  try {
    await verifyAttached(attached, [key.public], { name })
    return true
  } catch (error) {
    if (error instanceof ImageRefused) {
      return false
    }
    throw error
  }
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
