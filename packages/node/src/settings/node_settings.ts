import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

import vine from '@vinejs/vine'

import { body } from '#kernel/body'

import { tryParseJson } from '#kernel/try_parse_json'
import { SettingsInvalid } from '#node/errors'

import type { HubAddress } from '#node/hub/hub'
import type { ClientCredentials } from '#node/hub/login'
import { ISOLATIONS, type Isolation } from '#node/containers/choose_driver'
import { Policy } from '#node/policy/policy'
import { readSettingsFile } from './read_settings_file.js'

const HANG_SECONDS = 30

const address = () => vine.string().url({ require_tld: false, protocols: ['http', 'https'] })

const nodeFile = body({
  hub: address(),
  services: vine
    .object({
      core: address().optional(),
      storage: address().optional(),
      messenger: address().optional(),
      identity: address().optional(),
    })
    .optional(),
  credentials: vine.string(),
  approver: vine.string().optional(),
  signingKey: vine.string(),
  images: vine.string().optional(),
  policy: vine.string().optional(),
  data: vine.string(),
  isolation: vine.enum(ISOLATIONS).optional(),
  hangSeconds: vine.number().min(1).max(3600).optional(),
})

/** The settings of one node. Paths are relative to the settings file. */
export interface NodeSettings {
  readonly hub: HubAddress
  readonly credentials: ClientCredentials
  readonly credentialsFile: string
  /** The client that approves and publishes the key of the node, where its policy lets the node do so. */
  readonly approver: ClientCredentials | undefined
  /** PEM of the public keys of the hub that are trusted. */
  readonly signingKey: string
  readonly imagesPath: string | undefined
  readonly policy: Policy
  readonly folder: string
  readonly isolation: Isolation | undefined
  /** The time without progress after which the node is restarted. */
  readonly hangSeconds: number
}

export async function readNodeSettings(file: string): Promise<NodeSettings> {
  const settings = await readSettingsFile(file, nodeFile)
  const at = (path: string) => resolve(dirname(file), path)
  const { hub: url, services, approver, images, policy } = settings
  return {
    hub: { url: url.replace(/\/+$/, ''), ...(services && { services }) },
    credentials: await readCredentials(at(settings.credentials)),
    credentialsFile: at(settings.credentials),
    approver: approver === undefined ? undefined : await readCredentials(at(approver)),
    signingKey: await readFile(at(settings.signingKey), 'utf8'),
    imagesPath: images === undefined ? undefined : at(images),
    policy: policy === undefined ? new Policy() : await Policy.read(at(policy)),
    folder: at(settings.data),
    isolation: settings.isolation,
    hangSeconds: settings.hangSeconds ?? HANG_SECONDS,
  }
}

/** Reads credentials as written by `hubctl node rotate-credentials --to`. */
async function readCredentials(file: string): Promise<ClientCredentials> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new SettingsInvalid(`${file} cannot be read: ${(error as Error).message}`, error)
  })
  const { id, secret } = (tryParseJson(text) ?? {}) as Partial<ClientCredentials>
  if (typeof id !== 'string' || typeof secret !== 'string') {
    throw new SettingsInvalid(`${file} has no credentials: it needs an "id" and a "secret"`)
  }
  return { id, secret }
}
