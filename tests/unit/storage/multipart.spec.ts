import { buffer } from 'node:stream/consumers'

import { test } from '@japa/runner'
import fc from 'fast-check'

import { boundaryOf, MalformedMultipart, partsOf } from '#storage/uploads/multipart'
import { rounds } from '#tests/helpers/rounds'

const BOUNDARY = 'xYz'

interface TestFile {
  filename?: string
  content: Uint8Array
}

function bodyOf(parts: readonly TestFile[], boundary = BOUNDARY): Buffer {
  const chunks = parts.flatMap(({ filename, content }) => [
    `--${boundary}\r\nContent-Disposition: form-data; name="a"`,
    filename === undefined ? '' : `; filename="${filename}"`,
    '\r\nContent-Type: text/plain\r\n\r\n',
    content,
    '\r\n',
  ])
  return Buffer.concat([...chunks, `--${boundary}--\r\n`].map((chunk) => Buffer.from(chunk)))
}

async function* cut(body: Buffer, sizes: readonly number[] = []): AsyncGenerator<Buffer> {
  let at = 0
  for (let n = 0; at < body.length; n++) {
    const size = sizes.length > 0 ? sizes[n % sizes.length]! : body.length
    yield body.subarray(at, (at += size))
  }
}

async function read(body: Buffer | string, sizes?: readonly number[], boundary = BOUNDARY) {
  const found: { filename: string | undefined; content: Buffer }[] = []
  for await (const { filename, bytes } of partsOf(cut(Buffer.from(body), sizes), boundary)) {
    found.push({ filename, content: await buffer(bytes) })
  }
  return found
}

const named = async (disposition: string | Buffer) => {
  const head = Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n`),
    Buffer.from(disposition),
    Buffer.from(`\r\n\r\n\r\n--${BOUNDARY}--`),
  ])
  const [part] = await read(head)
  return part!.filename
}

test.group('Multipart | parts', () => {
  test('parts come out as they were sent, however the body is cut', async ({ assert }) => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .array(fc.constantFrom('\r', '\n', '-', '\r\n', '--', '\r\n-', '\r\n--x', '\r\n--xY', 'z'))
        .map((chunks) => Buffer.from(chunks.join('')))
    )
    const part = fc.record({ filename: fc.constantFrom('a.txt', 'ä/b', undefined), content })
    const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), sizes, async (parts, cuts) => {
        const isSound = parts.every(({ content: c }) => !Buffer.from(c).includes('\r\n--xYz'))
        fc.pre(isSound)
        const found = await read(bodyOf(parts), cuts)
        assert.deepEqual(
          found.map(({ filename, content: c }) => [filename, c.toString('hex')]),
          parts.map(({ filename, content: c }) => [filename, Buffer.from(c).toString('hex')])
        )
      }),
      { numRuns: rounds(400) }
    )
  })

  test('parts may stay unread', async ({ assert }) => {
    const parts = ['a', 'b', 'c'].map((filename) => ({ filename, content: Buffer.alloc(5000, 7) }))
    const names: unknown[] = []
    for await (const { filename } of partsOf(cut(bodyOf(parts), [100]), BOUNDARY)) {
      names.push(filename)
    }
    assert.deepEqual(names, ['a', 'b', 'c'])
  })

  test('parts are handed over one at a time: nothing is read ahead of them', async ({ assert }) => {
    const body = bodyOf([
      { filename: 'a', content: Buffer.alloc(100_000) },
      { filename: 'b', content: Buffer.alloc(100_000) },
    ])
    let readBytes = 0
    async function* counted() {
      for await (const chunk of cut(body, [1000])) {
        readBytes += chunk.length
        yield chunk
      }
    }
    const parts = partsOf(counted(), BOUNDARY)
    await parts.next()
    assert.isBelow(readBytes, 2001)
    await parts.next()
    assert.isBelow(readBytes, 103_000)
  })

  test('parts can be preceded and followed by what belongs to no part', async ({ assert }) => {
    const body = Buffer.concat([
      Buffer.from('preamble\r\n'),
      bodyOf([{ filename: 'a', content: Buffer.from('1') }]),
      Buffer.from('epilogue'),
    ])
    assert.lengthOf(await read(body, [3]), 1)
    assert.isEmpty(await read(`--${BOUNDARY}--`))
  })

  test('{0} is refused')
    .with([
      ['a body without a last boundary', `--${BOUNDARY}\r\n\r\nabc`],
      ['a body without any boundary', 'abc'],
      ['an empty body', ''],
      ['a header that is not ended', `--${BOUNDARY}\r\nA: b`],
      ['something behind a boundary', `--${BOUNDARY}abc\r\n\r\n\r\n--${BOUNDARY}--`],
      ['an endless header', `--${BOUNDARY}\r\nA: ${'b'.repeat(20_000)}\r\n\r\n\r\n--${BOUNDARY}--`],
      ['an endless header of many lines', `--${BOUNDARY}\r\n${'A: b\r\n'.repeat(5_000)}`],
    ] as const)
    .run(async ({ assert }, [, body]) => {
      await assert.rejects(() => read(body, [7_000]), MalformedMultipart as never)
    })
})

test.group('Multipart | names of files', () => {
  test('{0} is {1}')
    .with([
      ['form-data; name="f"; filename="a.txt"', 'a.txt'],
      ['form-data; name="f"; filename=a.txt', 'a.txt'],
      ['attachment;filename="a;b.txt";name=x', 'a;b.txt'],
      ['form-data; filename="Übergröße ☃ 𝄞.txt"', 'Übergröße ☃ 𝄞.txt'],
      ['form-data; filename="src/lib/a.py"', 'src/lib/a.py'],
      ['form-data; filename="a\\"; name="f"', 'a\\'],
      ['form-data; filename="a\\\\b.txt"', 'a\\b.txt'],
      ['form-data; filename="a\\b.txt"', 'a\\b.txt'],
      ['form-data; filename="say \\"hi\\".txt"', 'say "hi".txt'],
      ['form-data; filename="say %22hi%22 100%.txt"', 'say "hi" 100%.txt'],
      ['form-data; filename="a&#8217;b.txt"', 'a&#8217;b.txt'],
      ['form-data; filename="x"; filename*=UTF-8\'\'%C3%A4%2F%E2%98%83', 'ä/☃'],
      ["form-data; filename*=utf-8'en'a%20b", 'a b'],
      ['form-data; name="filename=x"', undefined],
      ['form-data; name="f"', undefined],
      ['form-data; filename=""', ''],
    ] as const)
    .run(async ({ assert }, [disposition, name]) => {
      assert.equal(await named(`Content-Disposition: ${disposition}`), name)
      assert.equal(await named(`content-disposition:${disposition}`), name)
    })

  test('{0} is refused')
    .with([
      ["Content-Disposition: form-data; filename*=utf-8''%ZZ"],
      ["Content-Disposition: form-data; filename*=iso-8859-1''%E4"],
      ['Content-Disposition: form-data; filename="a'],
      ['Content-Disposition: form-data; filename="a"b'],
      [Buffer.from('Content-Disposition: form-data; filename="\xe4"', 'latin1')],
    ] as const)
    .run(async ({ assert }, [disposition]) => {
      await assert.rejects(() => named(disposition), /cannot be decoded/)
    })

  test('a header made to be slow to read is not', async ({ assert }) => {
    const before = process.threadCpuUsage()
    for (const chunk of ['filename="', 'filename="a"; ', '\\', '"; ', ';', '" ;a="']) {
      const header = `form-data; filename="${chunk.repeat(16_000 / chunk.length - 10)}`
      await named(`Content-Disposition: ${header}`).catch(() => {})
    }
    const { user, system } = process.threadCpuUsage(before)
    assert.isBelow((user + system) / 1_000, 500)
  })
})

test.group('Multipart | boundary', () => {
  test('{0} has {1}')
    .with([
      ['multipart/form-data; boundary=abc', 'abc'],
      ['Multipart/Form-Data; charset=utf-8; Boundary="a b;c"', 'a b;c'],
      ['multipart/mixed;boundary=abc', 'abc'],
    ] as const)
    .run(({ assert }, [type, boundary]) => {
      assert.equal(boundaryOf(type), boundary)
    })

  test('{$self} has none')
    .with([undefined, 'application/json', 'multipart/form-data', 'x/y; boundary=a'])
    .run(({ assert }, type) => {
      assert.throws(() => boundaryOf(type), /multipart\/form-data/)
    })
})
