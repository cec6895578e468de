/** A conjunction at the beginning: the sentence began in the name of the group. */
const CONTINUES = /^(and|but|or|also|nor)\b/

/** Words with which no subject begins: a verb, or what follows the noun in the name of the group. */
const WITHOUT_SUBJECT = new Set(
  (
    'is are was were has have had does do did can cannot may must will would never of ' +
    'keeps keep takes take says say lets let gives give gets get makes make goes go comes come stays stay ' +
    'shows show returns refuses refuse rejects reject finds find sends send serves serve starts ' +
    'leads succeeds fails fail ends accepts allows creates deletes removes publishes ' +
    'receives requires replaces ignores knows waits works belongs belong contains contain'
  ).split(' ')
)

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

/** A short name is a good subject; a longer one need not be said twice. */
const isLong = (name) => name.split(/\s+/).length > 3

function repeats(title, group) {
  const names = group
    .split(/[|:]/)
    .map((name) => name.trim().toLowerCase())
    .filter(isLong)
  const words = `${title.toLowerCase()} `
  return names.some((name) => words.startsWith(`${name} `))
}

/** The title of a test is a sentence with a subject, which needs no group before it and does not repeat a long one. */
export const testTitle = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: {
      repeats: 'The group is named "{{group}}" already: begin with something else',
      subject: 'Name what "{{word}}" is about: a title is a sentence with a subject of its own',
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
        const [beginning] = title.split(/[ ,]/)
        if (WITHOUT_SUBJECT.has(beginning)) {
          context.report({ node: first, messageId: 'subject', data: { word: beginning } })
        } else if (word) {
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
