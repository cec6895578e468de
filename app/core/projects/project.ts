import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

import { MasterImage } from '#core/master_images/master_image'
import { description, displayName } from '#core/names/labels'
import { newSlugName, slugName } from '#core/names/slug_name'
import { requires } from '#kernel/access'
import { body } from '#kernel/body'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { changes, id } from '#records/rules'

const rules = {
  name: newSlugName,
  displayName,
  description,
  masterImageId: id().nullable().optional(),
}

export const createProject = body(rules)
export const updateProject = body({ ...changes(rules), name: slugName })

/** A project groups analyses. Each node decides whether it participates. */
export class Project extends RecordModel {
  static override connection = 'core'
  static override table = 'projects'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.text({ nullable: true }) declare displayName: string | null
  @column.text({ nullable: true }) declare description: string | null
  @column.integer() declare nodes: number
  @column.integer() declare analyses: number
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime
  @column.uuid() declare realmId: string
  @column.uuid({ nullable: true }) declare clientId: string | null
  @column.uuid({ nullable: true }) declare robotId: string | null
  @column.uuid({ nullable: true }) declare userId: string | null
  @column.uuid({ nullable: true }) declare masterImageId: string | null

  @belongsTo(() => MasterImage, { foreignKey: 'masterImageId' })
  declare masterImage: BelongsTo<typeof MasterImage> | null
}

export const project = defineKind(Project, {
  name: 'project',
  collection: '/projects',
  create: createProject,
  update: updateProject,
  filters: ['id', 'name', 'displayName', 'realmId', 'userId'],
  sorts: ['id', 'name', 'displayName', 'updatedAt', 'createdAt'],
  indexes: [
    ['id'],
    ['name'],
    ['displayName'],
    ['realmId'],
    ['userId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  includable: ['masterImage'],
  realm: 'realmId',
  access: {
    create: requires('project_create'),
    update: requires('project_update'),
    remove: requires('project_delete'),
  },
})
