import vine from '@vinejs/vine'

import { imageCommandArguments } from '#core/analyses/image_command_arguments'
import { masterImage } from '#core/master_images/master_image'
import { description, displayName } from '#core/names/labels'
import { slugName } from '#core/names/slug_name'
import { project } from '#core/projects/project'
import { registry } from '#core/registries/registry'
import { holding } from '#kernel/access'
import { column, onlyAtCreation, optional, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

const reference = optional(vine.string().uuid().nullable())

/** What a project wants to know, and the code that finds it out on its nodes. */
export const analysis = defineKind({
  name: 'analysis',
  collection: '/analyses',
  table: 'analyses',
  columns: {
    id: column.uuid(),
    name: column.text({ body: slugName }),
    displayName,
    description,
    nodes: column.integer(),
    nodesApproved: column.integer(),
    configurationLocked: column.boolean(),
    configurationEntrypointValid: column.boolean(),
    configurationImageValid: column.boolean(),
    configurationNodeAggregatorValid: column.boolean(),
    configurationNodeDefaultValid: column.boolean(),
    configurationNodesValid: column.boolean(),
    distributionStatus: column.text({ nullable: true }),
    distributionProgress: column.integer({ nullable: true }),
    buildNodesValid: column.boolean(),
    buildStatus: column.text({ nullable: true }),
    buildProgress: column.integer({ nullable: true }),
    buildHash: column.text({ nullable: true }),
    buildOs: column.text({ nullable: true }),
    buildSize: column.bigint({ nullable: true }),
    executionStatus: column.text({ nullable: true }),
    executionProgress: column.integer({ nullable: true }),
    ...timestamps,
    registryId: column.uuid({ nullable: true, body: reference }),
    clientId: column.uuid({ nullable: true }),
    realmId: column.uuid(),
    userId: column.uuid({ nullable: true }),
    projectId: column.uuid({ body: onlyAtCreation(vine.string().uuid()) }),
    masterImageId: column.uuid({ nullable: true, body: reference }),
    imageCommandArguments: column.jsonText({ nullable: true, body: imageCommandArguments }),
  },
  relations: {
    project: { to: () => project, by: 'projectId', includable: true },
    masterImage: { to: () => masterImage, by: 'masterImageId', includable: true },
    registry: { to: () => registry, by: 'registryId' },
  },
  filters: [
    'id',
    'name',
    'displayName',
    'description',
    'projectId',
    'realmId',
    'buildStatus',
    'executionStatus',
    'configurationLocked',
  ],
  sorts: ['name', 'displayName', 'createdAt', 'updatedAt'],
  defaultSort: { updatedAt: 'DESC' },
  indexes: [
    ['id'],
    ['name'],
    ['displayName'],
    ['description'],
    ['projectId'],
    ['realmId'],
    ['buildStatus'],
    ['executionStatus'],
    ['configurationLocked'],
    ['createdAt'],
    ['updatedAt'],
  ],
  realm: 'realmId',
  access: {
    create: holding('analysis_create'),
    update: holding('analysis_update'),
    remove: holding('analysis_delete'),
  },
})
