import vine from '@vinejs/vine'

import { body, type BodyOf, type BodyValidator } from '#kernel/body'

/** IDs of this platform and its predecessors. */
export const recordId = () => vine.string().regex(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i)

const reference = () => recordId().nullable().optional()
const optionalText = () => vine.string().nullable().optional()

const argument = vine.object({
  value: vine.string(),
  position: vine.enum(['before', 'after']).nullable().optional(),
})

const masterImage = {
  id: recordId(),
  name: optionalText(),
  path: optionalText(),
  virtualPath: vine.string(),
  command: optionalText(),
  commandArguments: vine.array(argument).nullable().optional(),
}

const account = { host: vine.string(), accountName: optionalText(), accountSecret: optionalText() }
const projectOfRegistry = {
  type: optionalText(),
  externalName: vine.string(),
  externalId: optionalText(),
}

/** The attributes that the worker reads. Platforms may send others. */
export const RECORDS = {
  analysis: body({
    id: recordId(),
    name: optionalText(),
    masterImageId: reference(),
    masterImage: vine.object(masterImage).nullable().optional(),
    registryId: reference(),
    projectId: reference(),
    realmId: reference(),
    imageCommandArguments: vine.array(argument).nullable().optional(),
    buildStatus: optionalText(),
    buildHash: optionalText(),
    buildNodesValid: vine.boolean().nullable().optional(),
    distributionStatus: optionalText(),
    updatedAt: optionalText(),
  }),
  analysisBucket: body({ id: recordId(), type: vine.string(), bucketId: recordId() }),
  analysisBucketFile: body({
    id: recordId(),
    path: vine.string(),
    root: vine.boolean(),
    bucketFileId: recordId(),
    bucketId: reference(),
  }),
  analysisCode: body({
    digest: optionalText(),
    masterImage: vine.object(masterImage).nullable().optional(),
    imageCommandArguments: vine.array(argument).nullable().optional(),
    bucketId: recordId(),
    total: vine.number(),
    files: vine.array(
      vine.object({
        bucketFileId: recordId(),
        bucketId: reference(),
        path: vine.string(),
        root: vine.boolean(),
      })
    ),
  }),
  analysisContent: body({
    digest: vine.string(),
    nodes: vine.array(vine.object({ nodeId: recordId(), agrees: vine.boolean() })),
  }),
  analysisNode: body({
    id: recordId(),
    analysisId: recordId(),
    nodeId: recordId(),
    approvalStatus: optionalText(),
    artifactTag: optionalText(),
    artifactDigest: optionalText(),
  }),
  bucketFiles: body({
    total: vine.number(),
    files: vine.array(
      vine.object({
        id: recordId(),
        path: vine.string(),
        size: vine.number().nullable(),
        sha256: optionalText(),
      })
    ),
  }),
  bucketFile: body({
    id: recordId(),
    name: vine.string(),
    directory: optionalText(),
    path: optionalText(),
    size: vine.number().nullable().optional(),
  }),
  buildRegistry: body({
    registry: vine
      .object({
        id: recordId(),
        name: optionalText(),
        ...account,
        projects: vine.array(vine.object(projectOfRegistry)),
      })
      .nullable(),
  }),
  masterImage: body(masterImage),
  masterImageGroup: body({
    name: optionalText(),
    path: optionalText(),
    virtualPath: vine.string(),
  }),
  node: body({
    id: recordId(),
    name: optionalText(),
    type: optionalText(),
    registryId: reference(),
    registryProjectId: reference(),
    registryProject: vine
      .object({
        id: recordId(),
        externalName: vine.string(),
        externalId: optionalText(),
        registryId: recordId(),
        accountName: optionalText(),
        accountSecret: optionalText(),
      })
      .nullable()
      .optional(),
  }),
  registry: body({ id: recordId(), name: optionalText(), ...account }),
  registryProject: body({ id: recordId(), ...projectOfRegistry, registryId: recordId() }),
  workerAccount: body(account),
} satisfies Record<string, BodyValidator<any>>

export type Kind = keyof typeof RECORDS
export type RecordOf<K extends Kind> = BodyOf<(typeof RECORDS)[K]>
