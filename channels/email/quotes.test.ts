import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitQuotes } from './quotes.ts'

const REPLY = 'Danke, das hilft mir.\n\nViele Grüße\nTom'

/** The lines that mail programs put over what they quote. */
const OVER: Record<string, string> = {
  'Gmail, English': 'On Tue, Mar 12, 2024 at 10:15 AM Northwind Support <support@northwind.example> wrote:',
  'Gmail, broken over lines':
    'On Tue, Mar 12, 2024 at 10:15 AM Northwind Support <\nsupport@northwind.example> wrote:',
  'Gmail, German': 'Am Di., 12. März 2024 um 10:15 Uhr schrieb Northwind <support@northwind.example>:',
  'Gmail, French': 'Le mar. 12 mars 2024 à 10:15, Northwind <support@northwind.example> a écrit :',
  'Gmail, Spanish': 'El mar, 12 mar 2024 a las 10:15, Northwind (<support@northwind.example>) escribió:',
  'Gmail, Italian':
    'Il giorno mar 12 mar 2024 alle ore 10:15 Northwind <support@northwind.example> ha scritto:',
  'Gmail, Portuguese':
    'Em ter., 12 de mar. de 2024 às 10:15, Northwind <support@northwind.example> escreveu:',
  'Gmail, Dutch': 'Op di 12 mrt 2024 om 10:15 schreef Northwind <support@northwind.example>:',
  'Gmail, Swedish': 'Den tis 12 mars 2024 kl 10:15 skrev Northwind <support@northwind.example>:',
  'Gmail, Norwegian': 'tir. 12. mar. 2024 kl. 10:15 skrev Northwind <support@northwind.example>:',
  'Gmail, Finnish': 'ti 12. maalisk. 2024 klo 10.15 Northwind (support@northwind.example) kirjoitti:',
  'Gmail, Polish': 'wt., 12 mar 2024 o 10:15 Northwind <support@northwind.example> napisał(a):',
  'Gmail, Czech': 'út 12. 3. 2024 v 10:15 odesílatel Northwind <support@northwind.example> napsal:',
  'Gmail, Hungarian': 'Northwind <support@northwind.example> ezt írta (időpont: 2024. márc. 12., K, 10:15):',
  'Gmail, Romanian': 'mar., 12 mar. 2024 la 10:15, Northwind <support@northwind.example> a scris:',
  'Gmail, Russian': 'вт, 12 мар. 2024 г. в 10:15, Northwind <support@northwind.example>:',
  'Gmail, Turkish': 'Northwind <support@northwind.example>, 12 Mar 2024 Sal, 10:15 tarihinde şunu yazdı:',
  'Gmail, Chinese': '于2024年3月12日周二 10:15写道：',
  'Gmail, Japanese': '2024年3月12日(火) 10:15 Northwind <support@northwind.example>:',
  'Gmail, Korean': '2024년 3월 12일 (화) 오전 10:15, Northwind <support@northwind.example>님이 작성:',
  'Apple Mail': 'On 12. Mar 2024, at 10:15, Northwind <support@northwind.example> wrote:',
  'Apple Mail, German': 'Am 12.03.2024 um 10:15 schrieb Northwind <support@northwind.example>:',
  'Thunderbird, German': 'Am 12.03.24 um 10:15 schrieb Northwind Support:',
  'Thunderbird, Danish': 'Den 12-03-2024 kl. 10:15 skrev Northwind:',
  'Outlook for phones':
    '________________________________\nFrom: Northwind <support@northwind.example>\nSent: Tuesday, March 12, 2024 10:15 AM\nTo: Tom <tom@example.com>\nSubject: Order',
  'Outlook, English':
    'From: Northwind <support@northwind.example>\nSent: Tuesday, March 12, 2024 10:15 AM\nTo: Tom\nSubject: RE: Order',
  'Outlook, German':
    'Von: Northwind <support@northwind.example>\nGesendet: Dienstag, 12. März 2024 10:15\nAn: Tom\nBetreff: AW: Bestellung',
  'Outlook, French':
    'De : Northwind <support@northwind.example>\nEnvoyé : mardi 12 mars 2024 10:15\nÀ : Tom\nObjet : RE: Commande',
  'Outlook, Spanish':
    'De: Northwind <support@northwind.example>\nEnviado el: martes, 12 de marzo de 2024 10:15\nPara: Tom\nAsunto: RE: Pedido',
  'Outlook, Polish':
    'Od: Northwind <support@northwind.example>\nWysłano: wtorek, 12 marca 2024 10:15\nDo: Tom\nTemat: Odp: Zamówienie',
  'Outlook, Chinese':
    '发件人: Northwind <support@northwind.example>\n发送时间: 2024年3月12日 10:15\n收件人: Tom\n主题: 订单',
  'Outlook of old':
    '-----Original Message-----\nFrom: Northwind [mailto:support@northwind.example]\nSent: Tuesday',
  'Outlook of old, German': '-----Ursprüngliche Nachricht-----\nVon: Northwind',
  'Outlook of old, Italian': '-----Messaggio originale-----\nDa: Northwind',
}

for (const [program, line] of Object.entries(OVER))
  test(`what ${program} puts over a quote begins it`, () => {
    for (const mark of ['> ', '']) {
      const quoted = ['Guten Tag,', 'Ihr Paket ist unterwegs.', '', 'Northwind'].map((one) => `${mark}${one}`)
      const { visible, hasQuote } = splitQuotes(`${REPLY}\n\n${line}\n\n${quoted.join('\n')}\n`)
      assert.equal(visible, REPLY)
      assert.ok(hasQuote)
    }
  })

test('text that only speaks of writing is no quote', () => {
  for (const text of [
    'On Monday I told my brother what you wrote:\nit was not what he expected.',
    'Here is what 3 customers wrote: nothing.',
    'From: is what my form says, and To: is empty.\nCan you help?',
    'Hello\n\nFrom here on it is easy.\nTo begin with, press A.',
    'Please call 555-0100:\nthanks',
  ])
    assert.deepEqual(splitQuotes(text), { visible: text, hasQuote: false })
})

test('answers between quoted lines keep the lines that they answer', () => {
  const text =
    'On 12 Mar 2024, at 10:15, A <a@x.example> wrote:\n> Which colour?\n\nGreen.\n\n> Which size?\n\nLarge.'
  assert.equal(splitQuotes(text).visible, text)
})

test('an answer below the quote is what was written', () => {
  const text =
    'On 12 Mar 2024, at 10:15, A <a@x.example> wrote:\n> Which colour?\n> Tell us.\n\nGreen, please.'
  assert.deepEqual(splitQuotes(text), { visible: 'Green, please.', hasQuote: true })
})

test('a quoted line that was broken without a mark is still a quote', () => {
  const long = '> This line was far too long for the program that sent it, and so it was broken'
  const text = `Yes.\n\nOn 12 Mar 2024, at 10:15, A <a@x.example> wrote:\n${long}\nin two.\n> And another.`
  assert.equal(splitQuotes(text).visible, 'Yes.')
})

test('what is forwarded is content', () => {
  const forwarded =
    'See below.\n\n---------- Forwarded message ---------\nFrom: A <a@x.example>\nDate: Tue\nSubject: Hi\nTo: b\n\nHello'
  assert.equal(splitQuotes(forwarded).visible, forwarded)
  const outlook = 'See below.\n\nVon: A <a@x.example>\nGesendet: Dienstag\nAn: B\nBetreff: Hallo\n\nText'
  assert.equal(splitQuotes(outlook, 'WG: Hallo').visible, outlook)
  assert.equal(splitQuotes(outlook, 'AW: Hallo').visible, 'See below.')
})

test('signatures go, unless nothing else is there', () => {
  assert.equal(splitQuotes('Hello\n\n-- \nTom\nNorthwind').visible, 'Hello')
  assert.equal(splitQuotes('Hello\n\nSent from my iPhone').visible, 'Hello')
  assert.equal(splitQuotes('Hallo\n\nVon meinem iPhone gesendet\n').visible, 'Hallo')
  assert.equal(splitQuotes('-- \nTom').visible, '-- \nTom')
  assert.equal(
    splitQuotes('Sent from my heart, with love\nand more below').visible,
    'Sent from my heart, with love\nand more below',
  )
})

test('a mail that is nothing but a quote shows it', () => {
  const text = 'On 12 Mar 2024, at 10:15, A <a@x.example> wrote:\n> Which colour?'
  assert.deepEqual(splitQuotes(text), { visible: text, hasQuote: false })
})

test('no text takes long', () => {
  const hostile = [
    'On 1 '.repeat(200_000),
    'On 2024 a <a@b\n'.repeat(60_000),
    'From: a\n'.repeat(120_000),
    `${' '.repeat(399)}\n`.repeat(2_500),
    `${'-'.repeat(399)}\n`.repeat(2_500),
    `A${'a '.repeat(180)}:\n`.repeat(2_500),
    `${'1'.repeat(390)}:\n`.repeat(2_500),
    `On ${'<'.repeat(190)}${'@'.repeat(190)}:\n`.repeat(2_500),
    `${'2024 <a@'.repeat(45)}>:\n`.repeat(2_500),
    '> '.repeat(500_000),
    '\n'.repeat(1_000_000),
  ]
  for (const text of hostile) {
    const startedMs = performance.now()
    splitQuotes(text)
    const ms = performance.now() - startedMs
    assert.ok(ms < 1_000, `${ms} ms for ${JSON.stringify(text.slice(0, 40))}`)
  }
})
