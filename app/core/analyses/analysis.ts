import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

import { imageCommandArguments } from './image_command_arguments.js'
import { MasterImage } from '#core/master_images/master_image'
import { description, displayName } from '#core/names/labels'
import { newSlugName, slugName } from '#core/names/slug_name'
import { Project } from '#core/projects/project'
import { Registry } from '#core/registries/registry'
import { requires } from '#kernel/access'
import { body } from '#kernel/body'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { changes, id } from '#records/rules'

const reference = id().nullable().optional()

const rules = {
  name: newSlugName,
  displayName,
  description,
  registryId: reference,
  projectId: id(),
  masterImageId: reference,
  imageCommandArguments,
}

export const createAnalysis = body(rules)
export const updateAnalysis = body({ ...changes(rules, ['projectId']), name: slugName })

/** A question of a project, and the code that answers it on the nodes. */
export class Analysis extends RecordModel {
  static override connection = 'core'
  static override table = 'analyses'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text({ nullable: true }) declare displayName: string | null
  @column.text({ nullable: true }) declare description: string | null
  @column.integer() declare nodes: number
  @column.integer() declare nodesApproved: number
  @column.boolean() declare configurationLocked: boolean
  @column.boolean() declare configurationEntrypointValid: boolean
  @column.boolean() declare configurationImageValid: boolean
  @column.boolean() declare configurationNodeAggregatorValid: boolean
  @column.boolean() declare configurationNodeDefaultValid: boolean
  @column.boolean() declare configurationNodesValid: boolean
  @column.text({ nullable: true }) declare distributionStatus: string | null
  @column.integer({ nullable: true }) declare distributionProgress: number | null
  @column.boolean() declare buildNodesValid: boolean
  /** `buildNodesValid` under the name that newer clients use. */
  @column.boolean({
    computed: { sql: (row: string) => `${row}.build_nodes_valid`, columns: ['build_nodes_valid'] },
  })
  declare distributionNodesValid: boolean
  @column.text({ nullable: true }) declare buildStatus: string | null
  @column.integer({ nullable: true }) declare buildProgress: number | null
  @column.text({ nullable: true }) declare buildHash: string | null
  @column.text({ nullable: true }) declare buildOs: string | null
  @column.bigint({ nullable: true }) declare buildSize: number | null
  @column.text({ nullable: true }) declare executionStatus: string | null
  @column.integer({ nullable: true }) declare executionProgress: number | null
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
  @column.uuid({ nullable: true }) declare registryId: string | null
  @column.uuid({ nullable: true }) declare clientId: string | null
  @column.uuid() declare realmId: string
  @column.uuid({ nullable: true }) declare userId: string | null
  @column.uuid() declare projectId: string
  @column.uuid({ nullable: true }) declare masterImageId: string | null
  @column.jsonText({ nullable: true }) declare imageCommandArguments: string | null

  @belongsTo(() => Project, { foreignKey: 'projectId' })
  declare project: BelongsTo<typeof Project>
  @belongsTo(() => MasterImage, { foreignKey: 'masterImageId' })
  declare masterImage: BelongsTo<typeof MasterImage> | null
  @belongsTo(() => Registry, { foreignKey: 'registryId' })
  declare registry: BelongsTo<typeof Registry> | null
}

export const analysis = defineKind(Analysis, {
  name: 'analysis',
  collection: '/analyses',
  create: createAnalysis,
  update: updateAnalysis,
  notAsSent: ['imageCommandArguments'],
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
  defaultSort: ['updatedAt', 'DESC'],
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
  includable: ['project', 'masterImage'],
  realm: 'realmId',
  access: {
    create: requires('analysis_create'),
    update: requires('analysis_update'),
    remove: requires('analysis_delete'),
  },
})
