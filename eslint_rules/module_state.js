import { relative, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** Instances that hold no state of the process, only metrics, caches of what can be computed again, or constants. */
const EXEMPT = new Set([
  ...['Counter', 'Gauge', 'Histogram', 'SeriesCache', 'ScrapedRows'],
  ...['WeakMap', 'WeakSet', 'LRUCache', 'AsyncLocalStorage'],
  ...['RegExp', 'URL', 'TextDecoder', 'TextEncoder', 'BlockList', 'JobFailure'],
])

/** With content, they are constants. */
const COLLECTIONS = new Set(['Map', 'Set'])

/** What an expression evaluates to: without type assertions, and with all branches of a condition. */
function resultsOf(node) {
  switch (node?.type) {
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
      return resultsOf(node.expression)
    case 'AwaitExpression':
      return resultsOf(node.argument)
    case 'ConditionalExpression':
      return [...resultsOf(node.consequent), ...resultsOf(node.alternate)]
    case 'LogicalExpression':
      return [...resultsOf(node.left), ...resultsOf(node.right)]
    default:
      return node ? [node] : []
  }
}

/** A collection that is declared read-only stays as it is. */
function isReadonly({ typeAnnotation }) {
  const name = typeAnnotation?.typeAnnotation.typeName?.name
  return name === 'ReadonlyMap' || name === 'ReadonlySet'
}

function holdsState({ type, callee, arguments: content }) {
  if (type !== 'NewExpression') {
    return false
  }
  return COLLECTIONS.has(callee.name) ? content.length === 0 : !EXEMPT.has(callee.name)
}

/** Modules hold no state of the process: it would outlive an application, and tests could not replace it. */
export const moduleState = {
  meta: {
    type: 'problem',
    schema: [{ type: 'object', additionalProperties: { type: 'string' } }],
    messages: {
      state:
        '"{{name}}" is state of this module. Make it a field of a class that the container makes (makeOnce), or keep it with the object that it belongs to (oncePer); see ADR 28.',
    },
  },
  create(context) {
    const [singletons = {}] = context.options
    const allowed = singletons[relative(root, context.filename)]
    const report = (node, name) => {
      if (name !== allowed) {
        context.report({ node, messageId: 'state', data: { name } })
      }
    }
    return {
      ':matches(Program, Program > ExportNamedDeclaration) > VariableDeclaration'(node) {
        for (const { id, init } of node.declarations) {
          const isMutable = node.kind !== 'const' && !node.declare
          if (isMutable || (!isReadonly(id) && resultsOf(init).some(holdsState))) {
            report(id, id.name ?? context.sourceCode.getText(id))
          }
        }
      },
      'PropertyDefinition[static=true]'({ key, value }) {
        if (resultsOf(value).some(holdsState)) {
          report(key, context.sourceCode.getText(key))
        }
      },
    }
  },
}
