import { test } from '@japa/runner'

import { analysis } from '#core/analyses/analysis'
import { sampleRecord } from '#tests/helpers/sample_records'
import { listenToStatements } from '#tests/helpers/database/statements'

import { call, Scene } from './analysis_scene.js'

test.group('Pages with relations', () => {
  test('a page of 50 analyses with project and image is one statement', async ({
    assert,
    cleanup,
  }) => {
    const scene = await Scene.set()
    const { id: projectId, masterImageId } = scene.project
    for (let count = 0; count < 60; count++) {
      await sampleRecord('core', analysis, {
        projectId,
        masterImageId,
        realmId: scene.realms.project,
      })
    }
    const by = scene.researcher()
    const path = `/analyses?include=project,masterImage&filter[projectId]=${projectId}`
    const statements: string[] = []
    cleanup(listenToStatements(statements))
    const { status, body } = await call(by, 'GET', path)
    const reading = statements.filter((text) => /\banalyses\b/.test(text))
    assert.equal(status, 200)
    assert.lengthOf(body.data, 50)
    assert.equal(body.meta.total, 60)
    assert.isTrue(body.data.every((row: any) => row.project.id === projectId))
    assert.isTrue(body.data.every((row: any) => row.masterImage.id === masterImageId))
    assert.lengthOf(reading, 1)
    assert.lengthOf(
      statements.filter((text) => /\b(projects|master_images)\b/.test(text)),
      1
    )
  })
})
