/*
 * One side of an analysis: a program that has a key of its own, seals messages for others and opens those that come. It takes
 * one command per line, and answers each with a line. The mailbox is all that it knows of the platform.
 */
import { createInterface } from 'node:readline'
import { webcrypto } from 'node:crypto'

const { subtle } = webcrypto
const CURVE = { name: 'ECDH', namedCurve: 'P-256' }
const [SALT_BYTES, IV_BYTES] = [32, 12]
const { MESSENGER: url, AUTHORIZATION: authorization } = process.env

const own = await subtle.generateKey(CURVE, false, ['deriveBits'])

/** As nodes publish it: the hexadecimal digits of the text of a PEM. */
async function publicKey() {
  const base64 = Buffer.from(await subtle.exportKey('spki', own.publicKey)).toString('base64')
  const lines = base64.match(/.{1,64}/g).join('\n')
  return Buffer.from(`-----BEGIN PUBLIC KEY-----\n${lines}\n-----END PUBLIC KEY-----\n`).toString(
    'hex'
  )
}

async function sharedKey(peer, salt) {
  const pem = Buffer.from(peer, 'hex').toString()
  const spki = Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')
  const key = await subtle.importKey('spki', spki, CURVE, false, [])
  const bits = await subtle.deriveBits({ name: 'ECDH', public: key }, own.privateKey, 256)
  const material = await subtle.importKey('raw', bits, 'HKDF', false, ['deriveKey'])
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt, info: new Uint8Array() }
  const sealing = { name: 'AES-GCM', length: 256 }
  return subtle.deriveKey(derivation, material, sealing, false, ['encrypt', 'decrypt'])
}

async function seal(text, peer) {
  const salt = webcrypto.getRandomValues(new Uint8Array(SALT_BYTES))
  const iv = webcrypto.getRandomValues(new Uint8Array(IV_BYTES))
  const key = await sharedKey(peer, salt)
  const sealed = await subtle.encrypt({ name: 'AES-GCM', iv }, key, Buffer.from(text))
  return Buffer.concat([salt, iv, new Uint8Array(sealed)]).toString('base64')
}

async function open(data, peer) {
  const bytes = Buffer.from(data, 'base64')
  const key = await sharedKey(peer, bytes.subarray(0, SALT_BYTES))
  const iv = bytes.subarray(SALT_BYTES, SALT_BYTES + IV_BYTES)
  const opened = await subtle.decrypt(
    { name: 'AES-GCM', iv },
    key,
    bytes.subarray(SALT_BYTES + IV_BYTES)
  )
  return Buffer.from(opened).toString()
}

async function call(method, path, body) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  return text === '' ? undefined : JSON.parse(text)
}

const commands = {
  key: () => publicKey(),
  send: async ({ to, peer, text }) => {
    const { data } = await call('POST', '/messages', {
      recipients: [to],
      data: await seal(text, peer),
    })
    return data
  },
  receive: async ({ peer }) => {
    const { messages } = await call('GET', '/messages?wait=10000')
    const texts = await Promise.all(messages.map(({ data }) => open(data, peer)))
    await call('POST', '/messages/ack', { ids: messages.map(({ id }) => id) })
    return texts
  },
}

for await (const line of createInterface(process.stdin)) {
  const { command, ...given } = JSON.parse(line)
  process.stdout.write(`${JSON.stringify(await commands[command](given))}\n`)
}
