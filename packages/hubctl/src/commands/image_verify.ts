import { readFile } from 'node:fs/promises'

import { Command } from 'commander'

import { EXIT } from '#hubctl/exit_codes'
import { perform, type Invocation } from '#hubctl/invocation'
import { printable } from '#hubctl/output/printable'
import { styled } from '#hubctl/output/styled'
import { Problem, UsageProblem } from '#hubctl/problem'
import type { ImageRepository } from '#oci/copy_blob'
import { ImageMissing } from '#oci/errors'
import { SignatureRejected } from '#oci/signing/signature_rejected'
import { ImageKey, KeyUnusable } from '#oci/signing/image_key'
import type { Statement } from '#oci/signing/provenance'
import { provenanceOf, verifyImage, type VerifiedSignature } from '#oci/signing/verify_image'
import { acceptedKeys } from './image_keys.js'
import { explainImageFailure, withLocationOptions } from './image_location.js'
import { findVerificationTarget, type VerifyOptions } from './verification_target.js'

const HELP = `
A single word is an analysis. Its image is read from the registry of the hub, or
from --images or --registry. Anything else is the name of an image: with the
host of its registry, read with your login of podman or docker, or its
repository in --images or --registry. The signature is verified with the keys of
the hub, or with those of a file.

Examples:
  hubctl image verify trial
  hubctl image verify trial --images /srv/hub/images
  hubctl image verify master/python/base --registry harbor
  hubctl image verify harbor.example.org/node-1/<analysis>:latest --key hub.pub`

/** Tables list this many inputs; `-o json` lists all. */
const MOST_SHOWN = 20

export function verifyCommand(): Command {
  return withLocationOptions(
    new Command('verify')
      .description('verify that this hub has built an image')
      .argument('<image>', 'an analysis, or the name of an image')
      .option('--key <file>', 'public keys in PEM instead of those of the hub')
  )
    .addHelpText('after', HELP)
    .action(perform(verify))
}

interface Verification {
  readonly image: string
  readonly digest: string
  readonly verified: VerifiedSignature
  readonly provenance: Statement | undefined
}

async function verify(invocation: Invocation<VerifyOptions>, image: string): Promise<void> {
  const { output } = invocation
  const keys = await trustedKeys(invocation)
  const verification = await explainImageFailure(
    verifyTarget(invocation, image, keys).catch(explainRejection)
  )
  output.isTable
    ? output.lines(verificationLines(verification))
    : output.value(verificationValue(verification))
}

function explainRejection(error: unknown): never {
  throw error instanceof SignatureRejected
    ? new Problem(EXIT.found, `${error.message}.`, [`Do not run it. Error code: ${error.code}.`])
    : error
}

async function verifyTarget(
  invocation: Invocation<VerifyOptions>,
  image: string,
  keys: readonly ImageKey[]
): Promise<Verification> {
  const { shelf, reference, signedName: name } = await findVerificationTarget(invocation, image)
  try {
    const digest = await digestOf(shelf, reference)
    const verified = await verifyImage(shelf, digest, keys, name === undefined ? {} : { name })
    const provenance = await provenanceOf(shelf, digest, keys)
    return { image, digest, verified, provenance: provenance?.statement }
  } finally {
    shelf.store.close()
  }
}

async function digestOf(
  { store, repository }: ImageRepository,
  reference: string
): Promise<string> {
  const verification = await store.manifest(repository, reference)
  if (!verification) {
    throw new ImageMissing(repository, reference)
  }
  return verification.digest
}

async function trustedKeys(invocation: Invocation<VerifyOptions>): Promise<readonly ImageKey[]> {
  const { key: file } = invocation.options
  if (file === undefined) {
    return acceptedKeys(await invocation.api())
  }
  try {
    return ImageKey.allIn(await readFile(file, 'utf8'), file)
  } catch (error) {
    throw error instanceof KeyUnusable
      ? new UsageProblem(error.message)
      : new UsageProblem(`The file ${file} cannot be read.`)
  }
}

function verificationValue({
  image,
  digest,
  verified: { claim, key },
  provenance,
}: Verification): object {
  return {
    image,
    digest,
    identity: claim.identity,
    said: claim.optional,
    key: key.fingerprint,
    provenance: provenance ?? null,
  }
}

function verificationLines({
  image,
  digest,
  verified: { claim, key },
  provenance,
}: Verification): string[] {
  return [
    `${styled('green', '✔')} ${styled('bold', image)} is signed.`,
    `  digest     ${digest}`,
    `  signed as  ${printable(claim.identity)}`,
    `  by key     ${key.fingerprint}`,
    ...(provenance ? provenanceLines(provenance) : ['  made of    unknown']),
  ]
}

function provenanceLines({ predicate }: Statement): string[] {
  const { builder, metadata } = predicate.runDetails
  const materials = predicate.buildDefinition.resolvedDependencies
  const more = materials.length - MOST_SHOWN
  return [
    `  built by   ${printable([builder.id, ...Object.values(builder.version ?? {})].join(' '))}`,
    `  built at   ${printable(metadata?.finishedOn ?? '-')}`,
    '  made of',
    ...materials.slice(0, MOST_SHOWN).map(({ name = '-', digest }) => {
      const [[kind, digits] = ['sha256', '-']] = Object.entries(digest ?? {})
      return `    ${printable(`${kind}:${digits}`)}  ${printable(name)}`
    }),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ]
}
