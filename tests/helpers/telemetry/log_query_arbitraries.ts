import fc, { type Arbitrary } from 'fast-check'

/** Labels that lines of the property have, some of them called as every object has something called, some as another with a dot before it. */
export const ODD_LABELS = ['constructor', 'toString', 'a', 'b.a', 'a-b', 'in', 'labels'] as const

const KEYS = [
  ...ODD_LABELS.flatMap((name) => [`filter[${name}]`, `filter[labels.${name}]`]),
  ...['filter[labels][a]', 'filter[b][a]', 'filter[a][]', 'filter[0:a]', 'filter[level]'],
  ...[
    'filter[__proto__]',
    'filter[hasOwnProperty]',
    'filter[a b]',
    'filter[_a]',
    'filter[a',
    'filter',
  ],
  ...['Filter[a]', 'filters[a]', 'page[limit]', 'sort', 'fields', 'codec', 'x'],
]
const VALUES = ['1', '2', '!1', '1,2', '~1', '', '<5', 'x']

/** Queries as somebody may send them who means lines of this label: right ones, wrong ones, and such as are longer than is read. */
export function logQueries(label: string, value: string): Arbitrary<string> {
  const parameter = fc
    .tuple(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES))
    .map(([key, text]) => `${key}=${encodeURIComponent(text)}`)
  const padding = fc.constantFrom(0, 0, 0, 0, 0, 997, 1_000, 2_000)
  return fc
    .tuple(fc.array(parameter, { maxLength: 3 }), padding, fc.array(parameter, { maxLength: 2 }))
    .map(([before, padded, after]) =>
      [...before, `filter[${label}]=${value}`, ...Array(padded).fill('x=1'), ...after].join('&')
    )
}
