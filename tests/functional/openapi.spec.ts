import { test } from '@japa/runner'
import { Ajv2020 } from 'ajv/dist/2020.js'
import vine from '@vinejs/vine'

import { anyone, requires, requiresAny, loggedIn } from '#kernel/access'
import { body } from '#kernel/body'
import { catalogue, type CataloguedRoute } from '#http/route_catalogue'
import { docsPage } from '#openapi/docs_page'
import { docsAreServed, docsRoutes } from '#openapi/docs_routes'
import { describe, documentOf } from '#openapi/surface_document'
import { bodySchema } from '#kernel/body_schema'
import type { DocumentedOperation, OpenApiDocument } from '#openapi/document'
import { SurfaceRoutes, type Operation, type Surface } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import { SURFACE_NAMES, SURFACE_PREFIXES } from '#configuration/surfaces'
import { env } from '#start/env'
import { at, boot, isTogether } from '#tests/helpers/application'
import { Conformance } from '#tests/helpers/conformance'

const SERVER = 'http://hub.test/core'

const sample: Surface = { name: 'core', title: 'Core', summary: 'Things', routes: () => {} }

const RESPONSES = { 200: { description: 'The things', schema: { type: 'object' } } }

function route(
  method: CataloguedRoute['method'],
  path: string,
  operation: Partial<Operation> = {}
): CataloguedRoute {
  return {
    surface: sample,
    method,
    path,
    handler: () => {},
    operation: {
      name: 'useThing',
      summary: 'Uses a thing',
      access: anyone,
      responses: RESPONSES,
      ...operation,
    },
  }
}

function documentWith(...routes: CataloguedRoute[]): OpenApiDocument {
  return describe({ title: 'Hub', summary: 'Things', server: SERVER, routes })
}

function operationsIn(document: OpenApiDocument): Map<string, DocumentedOperation> {
  const entries = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => [`${method} ${path}`, operation] as const)
  )
  return new Map(entries)
}

const operationOf = (single: CataloguedRoute) =>
  [...operationsIn(documentWith(single)).values()][0]!

/** Every document this process serves, as received. */
async function servedDocuments(): Promise<{ of: string; document: OpenApiDocument }[]> {
  const names = [...SURFACE_NAMES, ...(isTogether() ? (['hub'] as const) : [])]
  return Promise.all(
    names.map(async (name) => {
      const response = await fetch(at(name, '/docs/openapi.json'))
      return { of: name, document: (await response.json()) as OpenApiDocument }
    })
  )
}

const withoutSlash = (path: string) => path.replace(/(.)\/$/, '$1')

test.group('OpenAPI document and routes', () => {
  test('each is complete with regard to the other', async ({ assert }) => {
    const app = await boot()
    const router = await app.container.make('router')
    const interfaces = (router.toJSON().root ?? []).filter(
      ({ name }) => !name?.startsWith('console.')
    )
    const routed = interfaces.flatMap(({ pattern, methods }) =>
      methods
        .filter((method) => method !== 'HEAD' || !methods.includes('GET'))
        .map((method) => `${method.toLowerCase()} ${pattern.replace(/:(\w+)/g, '{$1}')}`)
    )
    const documented = [...operationsIn(documentOf()).keys()].map(withoutSlash)
    assert.isAbove(documented.length, 20)
    assert.sameMembers(documented, routed.map(withoutSlash))
  })

  test('no two routes are described as the same operation', ({ assert }) => {
    const operations = [...operationsIn(documentOf()).values()]
    assert.lengthOf(operations, catalogue.ofInterfaces().length)
    assert.lengthOf(new Set(operations.map(({ operationId }) => operationId)), operations.length)
  })

  test('only what everybody may see is open to everybody', ({ assert }) => {
    const open = catalogue
      .ofInterfaces()
      .filter(
        ({ surface, method, operation }) =>
          surface.name !== 'identity' && method !== 'OPTIONS' && operation.access.kind === 'public'
      )
      .map(({ path }) => path)
      .filter((path) => !path.startsWith('/probe/'))
    const expected = ['/', '/health/live', '/health/ready', '/docs', '/docs/openapi.json']
    assert.sameMembers([...new Set(open)], expected)
  })

  test('each operation states its access', ({ assert }) => {
    for (const [name, { security }] of operationsIn(documentOf())) {
      assert.isArray(security, name)
    }
    assert.deepEqual(operationOf(route('GET', '/things')).security, [])
    assert.deepEqual(operationOf(route('GET', '/things', { access: loggedIn })).security, [
      { bearer: [] },
    ])
  })

  test('permissions are named for programs and for people', ({ assert }) => {
    const all = operationOf(
      route('GET', '/things', { access: requires('thing_read', 'thing_use') })
    )
    assert.deepEqual(all['x-permissions'], { all: ['thing_read', 'thing_use'] })
    assert.include(all.description, 'Needs the permissions `thing_read` and `thing_use`.')
    const any = operationOf(
      route('GET', '/things', { access: requiresAny('thing_read', 'thing_use') })
    )
    assert.deepEqual(any['x-permissions'], { any: ['thing_read', 'thing_use'] })
    assert.include(any.description, 'Needs the permission `thing_read` or `thing_use`.')
  })
})

const text = { type: 'string', minLength: 1 }

const ESSENTIALS = {
  type: 'object',
  required: ['openapi', 'info', 'servers', 'paths', 'components'],
  properties: {
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
    info: {
      type: 'object',
      required: ['title', 'version'],
      properties: { title: text, version: text },
    },
    servers: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', required: ['url'], properties: { url: text } },
    },
    tags: {
      type: 'array',
      items: { type: 'object', required: ['name'], properties: { name: text } },
    },
    paths: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^/[^:*?]*$' },
      additionalProperties: {
        type: 'object',
        minProperties: 1,
        propertyNames: { enum: ['get', 'head', 'post', 'patch', 'delete', 'options'] },
        additionalProperties: { $ref: '#/$defs/operation' },
      },
    },
    components: {
      type: 'object',
      required: ['schemas', 'responses', 'securitySchemes'],
      additionalProperties: { type: 'object', propertyNames: { pattern: '^[\\w.-]+$' } },
    },
  },
  $defs: {
    operation: {
      type: 'object',
      required: ['operationId', 'summary', 'description', 'tags', 'security', 'responses'],
      properties: {
        operationId: { type: 'string', pattern: '^\\w+\\.\\w+$' },
        summary: text,
        tags: { type: 'array', minItems: 1 },
        parameters: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            required: ['name', 'in', 'required', 'description', 'schema'],
            properties: {
              name: text,
              in: { enum: ['path', 'query', 'header'] },
              schema: { type: 'object' },
            },
          },
        },
        requestBody: { type: 'object', required: ['content'] },
        responses: {
          type: 'object',
          required: ['default'],
          minProperties: 2,
          propertyNames: { pattern: '^([1-5]\\d\\d|default)$' },
          additionalProperties: {
            type: 'object',
            anyOf: [
              { type: 'object', required: ['$ref'] },
              { type: 'object', required: ['description'] },
            ],
          },
        },
      },
    },
  },
}

test.group('OpenAPI documents as they are served', () => {
  test('the documents have everything a document needs', async ({ assert }) => {
    const isComplete = new Ajv2020().compile(ESSENTIALS)
    for (const { of, document } of await servedDocuments()) {
      assert.isTrue(isComplete(document), `${of}: ${JSON.stringify(isComplete.errors)}`)
    }
  })

  test('refer to nothing that is not there, and use what is there', async ({ assert }) => {
    for (const { of, document } of await servedDocuments()) {
      const references = [
        ...JSON.stringify(document).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g),
      ]
      const used = new Set(references.map(([, kind, name]) => `${kind}/${name}`))
      const { schemas, responses } = document.components
      const present = [
        ...Object.keys(schemas).map((name) => `schemas/${name}`),
        ...Object.keys(responses).map((name) => `responses/${name}`),
      ]
      assert.sameMembers([...used], present, of)
      const tags = new Set(
        [...operationsIn(document).values()].flatMap((operation) => operation.tags)
      )
      assert.sameMembers(
        document.tags.map(({ name }) => name),
        [...tags],
        of
      )
      assert.sameMembers(
        document['x-tagGroups'].flatMap((group) => group.tags),
        [...tags],
        of
      )
    }
  })

  test('declare exactly the parameters their paths have', async ({ assert }) => {
    for (const { document } of await servedDocuments()) {
      for (const [name, { parameters = [] }] of operationsIn(document)) {
        const declared = parameters.filter((one) => one.in === 'path').map((one) => `{${one.name}}`)
        assert.deepEqual(declared, name.match(/\{\w+\}/g) ?? [], name)
      }
    }
  })

  test('the documents hold schemas that a validator understands', async ({ assert }) => {
    const ajv = new Ajv2020({ strict: false, logger: false })
    for (const { of, document } of await servedDocuments()) {
      ajv.addSchema(document, of)
      for (const [name, schema] of Object.entries(document.components.schemas)) {
        assert.isTrue(ajv.validateSchema(schema), `${of} ${name}: ${ajv.errorsText()}`)
        assert.doesNotThrow(() => ajv.compile({ $ref: `${of}#/components/schemas/${name}` }))
      }
      for (const [name, operation] of operationsIn(document)) {
        for (const schema of schemasOf(operation)) {
          assert.isTrue(ajv.validateSchema(schema), `${of} ${name}: ${ajv.errorsText()}`)
        }
      }
    }
  })

  test('each body has an example that its rules accept', async ({ assert }) => {
    const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false })
    for (const { operation, path } of catalogue
      .ofInterfaces()
      .filter((one) => one.operation.body)) {
      const { examples, ...schema } = bodyWithExample(operation.name)
      assert.lengthOf(examples, 1, path)
      assert.isTrue(ajv.validate(schema, examples[0]), `${path}: ${ajv.errorsText()}`)
      await operation.body!.validate(structuredClone(examples[0]))
    }
  })

  test('the documents name addresses from the configuration, whatever the host header is', async ({
    client,
    assert,
  }) => {
    const response = await client
      .get(at('core', '/docs/openapi.json'))
      .header('host', 'evil.example')
      .header('x-forwarded-host', 'evil.example')
    assert.deepEqual(response.body().servers, [{ url: `${env.PUBLIC_URL}/core` }])
    assert.notInclude(response.text(), 'evil.example')
  })

  test('describe a surface with its own paths, and all surfaces with their prefixes', async ({
    assert,
  }) => {
    for (const { of, document } of await servedDocuments()) {
      const expected =
        of === 'hub' ? ['/', ...SURFACE_NAMES.map((name) => `${SURFACE_PREFIXES[name]}/`)] : ['/']
      assert.includeMembers(Object.keys(document.paths), expected)
    }
  })
})

function bodyWithExample(operation: string): JsonSchema & { examples: unknown[] } {
  const [, schema] = Object.entries(documentOf().components.schemas).find(([name]) =>
    name.endsWith(`.${operation}.body`)
  )!
  return schema as JsonSchema & { examples: unknown[] }
}

function schemasOf({ parameters = [], requestBody, responses }: DocumentedOperation): JsonSchema[] {
  const contents = [requestBody, ...Object.values(responses)].flatMap((one) =>
    one && 'content' in one ? Object.values(one.content ?? {}) : []
  )
  return [...parameters, ...contents].flatMap(({ schema }) => (schema ? [schema] : []))
}

test.group('Documented operations', () => {
  test('a parameter of a path is text in braces', ({ assert }) => {
    const document = documentWith(route('GET', '/things/:id/parts/:partId'))
    assert.deepEqual(Object.keys(document.paths), ['/things/{id}/parts/{partId}'])
    const { parameters = [] } = [...operationsIn(document).values()][0]!
    assert.deepEqual(
      parameters.map(({ name }) => name),
      ['id', 'partId']
    )
    assert.isTrue(parameters.every(({ in: place, required }) => place === 'path' && required))
  })

  test('a parameter with keys is written with brackets, any other as it is', ({ assert }) => {
    const query = [
      { name: 'page', description: 'Which part', schema: { type: 'object' } },
      {
        name: 'filter',
        description: 'Which ones',
        schema: { oneOf: [{ type: 'string' }, { type: 'object' }] },
      },
      { name: 'sort', description: 'In which order', schema: { type: 'string' } },
    ]
    const { parameters = [] } = operationOf(route('GET', '/things', { query }))
    assert.deepEqual(
      parameters.map(({ name, style }) => [name, style]),
      [
        ['page', 'deepObject'],
        ['filter', 'deepObject'],
        ['sort', undefined],
      ]
    )
  })

  test('a body may come as JSON and as a form, and must come where it has required attributes', ({
    assert,
  }) => {
    const needed = operationOf(route('POST', '/things', { body: body({ name: vine.string() }) }))
    assert.isTrue(needed.requestBody?.required)
    assert.sameMembers(Object.keys(needed.requestBody!.content), [
      'application/json',
      'application/x-www-form-urlencoded',
    ])
    const free = operationOf(
      route('POST', '/things', { body: body({ name: vine.string().optional() }) })
    )
    assert.isFalse(free.requestBody?.required)
  })

  test('answers have their content, their headers and their failures', ({ assert }) => {
    const { responses } = operationOf(
      route('POST', '/things', {
        responses: {
          201: {
            description: 'Made',
            schema: { type: 'object' },
            headers: { Location: 'Where it is' },
          },
          202: { description: 'Taken' },
          206: { description: 'A part', contentType: 'text/plain; charset=utf-8' },
        },
      })
    )
    assert.deepEqual(responses, {
      201: {
        description: 'Made',
        headers: { Location: { description: 'Where it is', schema: { type: 'string' } } },
        content: { 'application/json': { schema: { type: 'object' } } },
      },
      202: { description: 'Taken' },
      206: { description: 'A part', content: { 'text/plain': {} } },
      default: { $ref: '#/components/responses/Failure' },
    })
  })

  test('only a read of JSON can be unchanged', ({ assert }) => {
    const answers200 = { 200: { description: 'Bytes', contentType: 'application/octet-stream' } }
    assert.property(operationOf(route('GET', '/things')).responses, '304')
    assert.notProperty(operationOf(route('POST', '/things')).responses, '304')
    assert.notProperty(
      operationOf(route('GET', '/things', { responses: answers200 })).responses,
      '304'
    )
  })
})

test.group('Body schemas', () => {
  const schemaOf = (...[properties]: Parameters<typeof vine.object>) =>
    bodySchema(vine.create(vine.object(properties)))

  test('a date is text of a date and time', ({ assert }) => {
    const { properties } = schemaOf({
      at: vine.date(),
      until: vine.date().nullable(),
      day: vine.date().meta({ type: 'string', format: 'date' }),
    })
    assert.deepEqual(properties, {
      at: { type: 'string', format: 'date-time' },
      until: { type: ['string', 'null'], format: 'date-time' },
      day: { type: 'string', format: 'date' },
    })
  })

  test('an attribute that may be null must still be there, unless it is optional', ({ assert }) => {
    const { required, properties } = schemaOf({
      a: vine.string().nullable(),
      b: vine.string().nullable().optional(),
      c: vine.string(),
      d: vine.string().optional(),
      e: vine.unionOfTypes([vine.string(), vine.number()]).nullable(),
      f: vine.unionOfTypes([vine.string(), vine.number()]).optional(),
    })
    assert.deepEqual(required, ['a', 'c', 'e'])
    assert.deepEqual(properties, {
      a: { type: ['string', 'null'] },
      b: { type: ['string', 'null'] },
      c: { type: 'string' },
      d: { type: 'string' },
      e: { anyOf: [{ type: 'null' }, { type: 'string' }, { type: 'number' }] },
      f: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    })
  })

  test('what holds for attributes holds at any depth', ({ assert }) => {
    const part = vine.object({ at: vine.date(), note: vine.string().nullable() })
    const expected = {
      type: 'object',
      properties: {
        at: { type: 'string', format: 'date-time' },
        note: { type: ['string', 'null'] },
      },
      required: ['at', 'note'],
    }
    const { properties } = schemaOf({
      list: vine.array(part.clone()),
      map: vine.record(part.clone()),
      pair: vine.tuple([part.clone(), vine.string()]),
      either: vine.unionOfTypes([part.clone(), vine.string()]),
    })
    assert.deepEqual(properties, {
      list: { type: 'array', items: expected },
      map: { type: 'object', additionalProperties: expected },
      pair: {
        type: 'array',
        minItems: 2,
        maxItems: 2,
        prefixItems: [expected, { type: 'string' }],
      },
      either: { anyOf: [expected, { type: 'string' }] },
    })
  })

  test('unknown attributes are not forbidden, and anything is anything', ({ assert }) => {
    const schema = schemaOf({ data: vine.any(), extra: vine.object({}).nullable().optional() })
    assert.deepEqual(schema, {
      type: 'object',
      properties: { data: {}, extra: { type: ['object', 'null'], properties: {} } },
      required: ['data'],
    })
  })
})

test.group('Documentation page', () => {
  test('a browser gets a page, every other client gets the document')
    .with([
      {
        accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
        type: 'text/html',
      },
      { accept: 'application/json', type: 'application/json' },
      { accept: '*/*', type: 'application/json' },
      { accept: 'image/png', type: 'application/json' },
    ])
    .run(async ({ assert }, { accept, type }) => {
      for (const surface of SURFACE_NAMES) {
        const response = await fetch(at(surface, '/docs'), { headers: { accept } })
        assert.equal(response.status, 200)
        assert.equal(response.headers.get('content-type'), `${type}; charset=utf-8`)
        assert.include(response.headers.get('vary'), 'Accept')
      }
    })

  test('both addresses of a document answer the same', async ({ assert }) => {
    const headers = { accept: 'application/json' }
    const [short, long] = await Promise.all(
      ['/docs', '/docs/openapi.json'].map((path) => fetch(at('core', path), { headers }))
    )
    assert.equal(await short!.text(), await long!.text())
    assert.equal(short!.headers.get('etag'), long!.headers.get('etag'))
  })

  test('several surfaces are described on one page', async ({ assert }) => {
    if (!isTogether()) {
      return
    }
    const page = await pageAt('hub')
    for (const { operationId } of operationsIn(documentOf()).values()) {
      assert.include(page, `id="${operationId}"`)
    }
    for (const { title } of catalogue.surfaces.filter(({ name }) => name !== 'console')) {
      assert.include(page, `>${title}</h2>`)
    }
  })

  test('it loads nothing and runs nothing', async ({ assert }) => {
    for (const surface of SURFACE_NAMES) {
      const page = await pageAt(surface)
      const addresses = page.match(/\b[a-z]+:\/\/[^\s"'<]+/gi) ?? []
      assert.deepEqual(
        addresses.filter((address) => !address.startsWith(env.PUBLIC_URL)),
        []
      )
      assert.notMatch(
        page,
        /<(script|img|iframe|link (?!rel="icon")|form|object)\b|\bon\w+=|\ssrc=|@import|url\(/i
      )
      assert.notMatch(page, /<[^>]+\sstyle=/)
    }
  })

  test('its links lead to places that it has', async ({ assert }) => {
    const page = docsPage(documentOf()).content.text
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    const targets = [...page.matchAll(/\shref="#([^"]+)"/g)].map(([, target]) => target)
    assert.lengthOf(new Set(ids), ids.length)
    assert.isNotEmpty(targets)
    assert.includeMembers(ids, targets)
  })

  test('what is shown of an operation is what its document says', ({ assert }) => {
    const page = docsPage(
      documentWith(
        route('POST', '/things/:id', {
          access: requires('thing_use'),
          body: body({
            name: vine.string().minLength(3).maxLength(8),
            at: vine.enum(['a', 'b']).optional(),
          }),
          query: [
            { name: 'strict', description: 'Whether `name` counts', schema: { type: 'boolean' } },
          ],
          responses: {
            202: {
              description: 'The thing',
              schema: {
                type: 'object',
                required: ['parts'],
                properties: {
                  parts: {
                    type: 'array',
                    items: {
                      type: 'object',
                      properties: { size: { type: 'integer', minimum: 1 } },
                    },
                  },
                },
              },
            },
          },
        })
      )
    ).content.text
    const words = page
      .replace(/<[^>]+>/g, ' ')
      .replace(/&#34;/g, '"')
      .replace(/\s+/g, ' ')
    for (const shown of [
      'POST /things/{id}',
      'Needs the permission thing_use .',
      'strict optional boolean Whether name counts',
      'name string, 3 to 8 characters',
      'at optional "a" or "b"',
      'Answer 202 Accepted The thing.',
      'parts list of object',
      'parts[].size optional integer, at least 1',
    ]) {
      assert.include(words, shown)
    }
  })

  test('text of a declaration stays text', ({ assert }) => {
    const hostile = '<script>alert(1)</script>"\'&'
    const page = docsPage(
      documentWith(
        route('GET', '/things', {
          summary: hostile,
          query: [
            { name: hostile, description: hostile, schema: { enum: [hostile], pattern: hostile } },
          ],
          responses: {
            200: {
              description: hostile,
              schema: { type: 'object', properties: { [hostile]: {} } },
            },
          },
        })
      )
    ).content.text
    assert.include(page, '&#60;script&#62;alert(1)')
    assert.notInclude(page, '<script')
  })

  test('a hundred operations stay within reach of a short list', ({ assert }) => {
    const kinds = Array.from({ length: 20 }, (_, index) => `kind-${index}`)
    const routes = kinds.flatMap((kind) => [
      route('GET', `/${kind}`, { name: `list_${kind}` }),
      route('POST', `/${kind}`, { name: `create_${kind}` }),
      route('GET', `/${kind}/:id`, { name: `read_${kind}` }),
      route('POST', `/${kind}/:id`, { name: `update_${kind}` }),
      route('DELETE', `/${kind}/:id`, { name: `delete_${kind}` }),
    ])
    const page = docsPage(documentWith(...routes)).content.text
    const [, contents = ''] = page.match(/<nav aria-label="Core">(.*?)<\/nav>/s) ?? []
    assert.lengthOf(contents.match(/<a /g)!, 20)
    assert.include(contents, '<a href="#core-kind-7">Kind 7</a>')
    assert.lengthOf(page.match(/<span class="method">/g)!, 100)
  })
})

async function pageAt(surface: Parameters<typeof at>[0]): Promise<string> {
  const response = await fetch(at(surface, '/docs'), { headers: { accept: 'text/html' } })
  return response.text()
}

test.group('Where documentation is served', () => {
  const cases = [
    { isProduction: false, hasDocs: true, page: true, description: anyone },
    { isProduction: false, hasDocs: false, page: true, description: anyone },
    { isProduction: false, hasDocs: true, page: true, description: anyone },
    { isProduction: true, hasDocs: false, page: false, description: loggedIn },
    { isProduction: true, hasDocs: true, page: true, description: loggedIn },
  ] as const

  test('the documentation is decided by the mode and by DOCS_ENABLED')
    .with([...cases])
    .run(({ assert }, { page, description, ...settings }) => {
      const routes = new SurfaceRoutes()
      docsRoutes(routes, sample, settings)
      const access = new Map(routes.declared.map(({ path, operation }) => [path, operation.access]))
      assert.equal(docsAreServed(settings), page)
      assert.deepEqual(access.get('/docs'), page ? anyone : undefined)
      assert.deepEqual(access.get('/docs/openapi.json'), description)
    })
})

test.group('Conformance of responses', () => {
  const schema = {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'string', format: 'uuid' } },
  }
  const conformance = new Conformance(
    documentWith(
      route('GET', '/things/:id', { responses: { 200: { description: 'It', schema } } }),
      route('DELETE', '/things/:id', {
        name: 'dropThing',
        responses: { 204: { description: 'Gone' } },
      })
    )
  )
  const exchange = {
    method: 'GET',
    path: '/things/1',
    status: 200,
    contentType: 'application/json; charset=utf-8',
    text: '{"id":"7d444840-9dc0-11d1-b245-5ffdce74fad2"}',
  }
  const envelope = { statusCode: 404, code: 'entity_not_found', message: 'No', issues: [] }
  const item = { type: 'item', code: 'required', path: ['name'], message: 'No', meta: {} }
  const group = { type: 'group', path: [], message: 'No', meta: {}, issues: [item] }

  test('what the document describes passes')
    .with([
      exchange,
      { ...exchange, path: '/THINGS/1/' },
      { ...exchange, method: 'HEAD', text: '' },
      { ...exchange, status: 304, contentType: '', text: '' },
      { ...exchange, method: 'DELETE', status: 204, contentType: '', text: '' },
      { ...exchange, status: 404, text: JSON.stringify(envelope) },
      { ...exchange, status: 404, text: JSON.stringify({ ...envelope, issues: [item, group] }) },
      { ...exchange, path: '/nothing', status: 404, text: JSON.stringify(envelope) },
      { ...exchange, method: 'PUT', status: 404, text: JSON.stringify(envelope) },
      { ...exchange, method: 'OPTIONS', status: 204, text: '' },
    ])
    .run(({ assert }, described) => {
      assert.doesNotThrow(() => conformance.check(described))
    })

  test('what the document does not describe fails')
    .with([
      { differs: { path: '/nothing' }, reason: /not in the document/ },
      { differs: { method: 'PUT' }, reason: /not in the document/ },
      { differs: { status: 201 }, reason: /does not name/ },
      { differs: { contentType: 'text/html' }, reason: /is of type "text\/html"/ },
      { differs: { text: '{}' }, reason: /another body than documented.*id/ },
      { differs: { text: '{"id":"7"}' }, reason: /another body than documented.*uuid/ },
      { differs: { method: 'DELETE', status: 204 }, reason: /has a body/ },
      { differs: { status: 404 }, reason: /another body than documented.*statusCode/ },
      { differs: { status: 403, text: JSON.stringify(envelope) }, reason: /another status/ },
      {
        differs: {
          status: 404,
          text: JSON.stringify({ ...envelope, issues: [{ ...group, issues: [{}] }] }),
        },
        reason: /another body than documented/,
      },
    ])
    .run(({ assert }, { differs, reason }) => {
      assert.throws(() => conformance.check({ ...exchange, ...differs }), reason)
    })
})
