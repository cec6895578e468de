import { isDeepStrictEqual } from 'node:util'

import type { ImageRepository } from '#oci/copy_blob'
import type { StoredManifest } from '#oci/image_store'
import { attach, type Attachment } from './attach.js'
import { Attachments } from './attachments.js'
import { PROVENANCE, SIGNATURE } from './attachment_kinds.js'
import { signEnvelope } from './envelope.js'
import { SignatureRejected } from './signature_rejected.js'
import { identityOf } from './identity.js'
import { PREDICATE_TYPE, statementOf, type BuildFacts } from './provenance.js'
import { payloadOf, SIGNATURE_ANNOTATION } from './simple_signing.js'
import type { SigningKey } from './signing_key.js'
import { findProvenance, verifyAttachments } from './verify_image.js'

export interface SignOptions {
  /** The image is new and therefore has no attachments. */
  readonly isNew?: boolean | undefined
  /** Resolves when the image is pushed, if it is still on its way. */
  readonly imagePushed?: Promise<unknown> | undefined
  readonly configPushed?: Promise<unknown> | undefined
}

/**
 * Attaches provenance, then the signature, so that signed images always have provenance. Equal attachments of this key
 * stay; repeating a build adds none.
 */
export async function signImage(
  target: ImageRepository,
  image: StoredManifest,
  facts: BuildFacts,
  key: SigningKey,
  { isNew = false, ...pending }: SignOptions = {}
): Promise<void> {
  const { digest } = image
  const existing = isNew ? undefined : new Attachments(target, digest)
  const [hasOwnProvenance, hasOwnSignature] = existing
    ? await Promise.all([hasProvenance(existing, facts, key), hasSignature(existing, facts, key)])
    : [false, false]
  const attachments = [
    ...(hasOwnProvenance ? [] : [provenance(digest, facts, key)]),
    ...(hasOwnSignature ? [] : [signature(digest, facts, key)]),
  ]
  await attach(target, image, attachments, { existing, ...pending })
}

function provenance(digest: string, facts: BuildFacts, key: SigningKey): Attachment {
  const bytes = signEnvelope(statementOf(digest, facts), key)
  const annotations = { [SIGNATURE_ANNOTATION]: '', predicateType: PREDICATE_TYPE }
  return { kind: PROVENANCE, layer: { bytes, annotations } }
}

function signature(digest: string, facts: BuildFacts, key: SigningKey): Attachment {
  const claim = {
    digest,
    identity: identityOf(facts.name),
    optional: facts.signedAnnotations ?? {},
  }
  const bytes = payloadOf(claim)
  const annotations = { [SIGNATURE_ANNOTATION]: key.sign(bytes).toString('base64') }
  return { kind: SIGNATURE, layer: { bytes, annotations } }
}

/** Whether provenance with the same build definition exists. Time and run of the first build stay. */
async function hasProvenance(attachments: Attachments, facts: BuildFacts, key: SigningKey) {
  const found = await findProvenance(attachments, [key.public])
  const expected = statementOf(attachments.digest, facts).predicate.buildDefinition
  return isDeepStrictEqual(found?.statement.predicate.buildDefinition, asJson(expected))
}

async function hasSignature(attachments: Attachments, { name }: BuildFacts, key: SigningKey) {
  try {
    await verifyAttachments(attachments, [key.public], { name })
    return true
  } catch (error) {
    if (error instanceof SignatureRejected) {
      return false
    }
    throw error
  }
}

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
