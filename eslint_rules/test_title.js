/** A conjunction at the beginning: the sentence began in the name of the group. */
const CONTINUES = /^(and|but|or|also|nor)\b/

/** Tests of the interface begin with the number of the statement they hold. */
const STATEMENT = /^[A-Z][^:]*\d/

const textOf = (node) => {
  if (node?.type === 'Literal' && typeof node.value === 'string') {
    return node.value
  }
  return node?.type === 'TemplateLiteral' ? node.quasis[0].value.cooked : undefined
}

const isGroup = ({ callee }) =>
  callee.type === 'MemberExpression' &&
  callee.object.name === 'test' &&
  callee.property.name === 'group'

const isTest = ({ callee }) => callee.type === 'Identifier' && callee.name === 'test'

function repeats(title, group) {
  const names = group.split(/[|:]/).map((name) => name.trim().toLowerCase())
  const words = `${title.toLowerCase()} `
  return names.some((name) => name !== '' && words.startsWith(`${name} `))
}

/** The title of a test is a sentence that needs no group before it, and does not say its name once more. */
export const testTitle = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      repeats: 'The group is named "{{group}}" already: begin with something else',
      continues: 'Make the title a sentence of its own, without "{{word}}" at its beginning',
    },
  },
  create(context) {
    const groups = []
    return {
      'CallExpression'(node) {
        const [first] = node.arguments
        if (isGroup(node)) {
          groups.push(textOf(first) ?? '')
        }
        const title = isTest(node) ? textOf(first) : undefined
        if (title === undefined || STATEMENT.test(title)) {
          return
        }
        const word = CONTINUES.exec(title)?.[0]
        const group = groups.at(-1)
        if (word) {
          context.report({ node: first, messageId: 'continues', data: { word } })
        } else if (group && repeats(title, group)) {
          context.report({ node: first, messageId: 'repeats', data: { group } })
        }
      },
      'CallExpression:exit'(node) {
        if (isGroup(node)) {
          groups.pop()
        }
      },
    }
  },
}
