import { isDeepStrictEqual } from 'node:util'

import type { Shelf } from '#oci/copy_blob'
import { attach, type Attachment } from './attach.js'
import { PROVENANCE, SIGNATURE } from './attachment_kinds.js'
import { envelopeAround } from './envelope.js'
import { ImageRefused } from './failures.js'
import { identityOf } from './identity.js'
import { PREDICATE_TYPE, statementOf, type BuildFacts } from './provenance.js'
import { payloadOf, SIGNATURE_ANNOTATION } from './simple_signing.js'
import type { SigningKey } from './signing_key.js'
import { provenanceOf, requireImage, verifyImage } from './verify_image.js'

/**
 * Attaches to an image, which is there, how it came to be, and then the signature: what is signed has its provenance. What is there already of this key and
 * says the same stays, so that a build that is done twice leaves one of each.
 */
export async function signImage(
  shelf: Shelf,
  digest: string,
  facts: BuildFacts,
  key: SigningKey
): Promise<void> {
  const image = await requireImage(shelf, digest)
  const [described, signed] = await Promise.all([
    isDescribed(shelf, digest, facts, key),
    isSigned(shelf, digest, facts, key),
  ])
  const attachments = [
    ...(described ? [] : [provenance(digest, facts, key)]),
    ...(signed ? [] : [signature(digest, facts, key)]),
  ]
  await attach(shelf, image, attachments)
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
async function isDescribed(shelf: Shelf, digest: string, facts: BuildFacts, key: SigningKey) {
  const found = await provenanceOf(shelf, digest, [key.public])
  const wanted = statementOf(digest, facts).predicate.buildDefinition
  return isDeepStrictEqual(found?.statement.predicate.buildDefinition, asJson(wanted))
}

async function isSigned(shelf: Shelf, digest: string, { name }: BuildFacts, key: SigningKey) {
  try {
    await verifyImage(shelf, digest, [key.public], { name })
    return true
  } catch (error) {
    if (error instanceof ImageRefused) {
      return false
    }
    throw error
  }
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
