import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hiddenOf } from './hidden.ts'
import { splitQuotes } from './quotes.ts'

const REPLY = 'Danke, das hilft mir.\n\nViele Grüße\nTom'

/** The lines that mail programs put above a quote. */
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
  'a name first, German': 'Northwind <support@northwind.example> schrieb am Di., 12. März 2024, 10:15:',
  'a name first, wrapped':
    'Northwind Support Team for Orders and Returns\n<support@northwind.example> schrieb am\nDi., 12. März 2024 um 10:15 Uhr:',
  'a name first, Spanish': 'Northwind (support@northwind.example) escribió el 12 mar 2024 a las 10:15:',
  'a name first, Swedish': 'Northwind <support@northwind.example> skrev den 12 mars 2024 10:15:',
  'Gmail, Ukrainian': 'вт, 12 бер. 2024 р. о 10:15 Northwind <support@northwind.example> пише:',
  'Gmail, Ukrainian, wrapped':
    'вт, 12 бер. 2024 р. о 10:15 Northwind Support <\nsupport@northwind.example> пише:',
  'an address that was broken off as a link':
    'On Tue, 12 Mar 2024 at 10:15 Northwind\n\n<\nmailto:Northwind <support@northwind.example>\n> wrote:',
  'a link to the address, German':
    'Am Di., 12. März 2024 um 10:15 Uhr schrieb Northwind\n\n<\nmailto:support@northwind.example\n>:',
  'Thunderbird, Catalan': 'El 12/3/24 a les 10:15, Northwind ha escrit:',
  'Gmail, Catalan':
    'Missatge de Northwind <support@northwind.example> del dia dt., 12 de març 2024 a les 10:15:',
  'Gmail, Croatian': 'uto, 12. ožu 2024. u 10:15 Northwind <support@northwind.example> napisao je:',
  'Gmail, Slovenian':
    'V V tor., 12. mar. 2024 ob 10:15 je oseba Northwind <support@northwind.example> napisala:',
  'Gmail, Bulgarian': 'На вт, 12.03.2024 г. в 10:15 Northwind <support@northwind.example> написа:',
  'Gmail, Lithuanian': '2024-03-12, an, 10:15 Northwind <support@northwind.example> rašė:',
  'Gmail, Estonian': 'Kuupäev T, 12. märts 2024 kell 10:15 kirjutas Northwind <support@northwind.example>:',
  'Gmail, Persian': 'در تاریخ سه‌شنبه ۱۲ مارس ۲۰۲۴، ۱۰:۱۵ Northwind <support@northwind.example> نوشت:',
  'Gmail, Thai': 'เมื่อ อ. 12 มี.ค. 2024 เวลา 10:15 Northwind <support@northwind.example> เขียนว่า:',
  'Gmail, Hindi': 'मंगल, 12 मार्च 2024 को 10:15 पर Northwind <support@northwind.example> ने लिखा:',
  'Apple Mail, Polish':
    'Wiadomość napisana przez Northwind <support@northwind.example> w dniu 12.03.2024, o godz. 10:15:',
  'Apple Mail, Arabic':
    '\u202bفي ١٢\u200f/٠٣\u200f/٢٠٢٤ الساعة ١٠:١٥ ص، كتب/كتبت \u200fNorthwind \u200f<support@northwind.example>:\u202c',
  'Outlook, Hebrew':
    '\u202bמאת:\u202c Northwind <support@northwind.example>\n\u202bנשלח:\u202c 12 במרץ 2024 10:15\n\u202bאל:\u202c Tom\n\u202bנושא:\u202c הזמנה',
  'a name and a whole date, German': 'Northwind schrieb am Di., 12. März 2024 um 10:15 Uhr:',
  'a name and a whole date, Spanish': 'Northwind escribió el mar, 12 mar 2024 a las 10:15:',
  'an address alone': 'support@northwind.example wrote:',
  'an address alone, French': 'support@northwind.example a écrit :',
  'Samsung, on one line':
    '-------- Ursprüngliche Nachricht --------Von: "Northwind" Datum: 12.03.24 10:15 (GMT+01:00) An: Betreff: Bestellung',
  'a block under an introduction that does not end':
    'Am 12.03.24 um 10:15 schrieb Northwind\nVon: Northwind <support@northwind.example>\nDatum: 12. März 2024\nAn: Tom',
  Android: '---- Northwind wrote ----',
  Zoho: '---- On Tue, 12 Mar 2024 10:15:00 +0100 Northwind <support@northwind.example> wrote ----',
  'a wrapped introduction':
    'On Tue, Mar 12, 2024 at 10:15 AM Northwind Support for Orders and Returns in\nthe North <\nsupport@northwind.example>\nwrote:',
  'a block that begins with its date':
    'Date: Tue, 12 Mar 2024 10:15:00 +0100\nSubject: Order\nFrom: Northwind <support@northwind.example>\nTo: Tom',
  'a block that begins with its subject':
    'Subject: RE: Order\nTo: Tom\nFrom: Northwind <support@northwind.example>\nDate: Tue, 12 Mar 2024',
  'Outlook, Ukrainian':
    'Від: Northwind <support@northwind.example>\nНадіслано: 12 березня 2024 р. 10:15\nКому: Tom\nТема: Замовлення',
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
  test(`what ${program} puts above a quote starts it`, () => {
    for (const mark of ['> ', '']) {
      const quoted = ['Guten Tag,', 'Ihr Paket ist unterwegs.', '', 'Northwind'].map((one) => `${mark}${one}`)
      const { visible, hasQuote } = splitQuotes(`${REPLY}\n\n${line}\n\n${quoted.join('\n')}\n`)
      assert.equal(visible, REPLY)
      assert.ok(hasQuote)
    }
  })

test('text that only mentions writing is not a quote', () => {
  for (const text of [
    'On Monday I told my brother what you wrote:\nit was not what he expected.',
    'Here is what 3 customers wrote: nothing.',
    'From: is what my form says, and To: is empty.\nCan you help?',
    'Hello\n\nFrom here on it is easy.\nTo begin with, press A.',
    'Please call 555-0100:\nthanks',
    'From: Berlin\nTo: Hamburg\nDate: 12 March 2024\nTwo seats, please.',
    'Anna wrote to me about order 4711:\nit was late.',
    '---- What I wrote ----\nnothing',
    'My brother wrote in March 2024 at 10:15 that it broke:\nwhat now?',
    'This is what anna@x.example wrote:\nnothing.',
    '--- Original message --- is what it says.\nWhy?',
  ])
    assert.deepEqual(splitQuotes(text), { visible: text, hasQuote: false })
})

test('inline replies keep the quoted lines', () => {
  const text =
    'On 12 Mar 2024, at 10:15, A <a@x.example> wrote:\n> Which colour?\n\nGreen.\n\n> Which size?\n\nLarge.'
  assert.equal(splitQuotes(text).visible, text)
})

test('text below the last inline reply is removed, including the signature', () => {
  for (const [line, own] of [
    ['On 12 Mar 2024, at 10:15, A <a@x.example> wrote:', 'Green.'],
    ['Am 12.03.2024 um 10:15 schrieb A <a@x.example>:', 'Grün.'],
    ['Le 12 mars 2024 à 10:15, A <a@x.example> a écrit :', 'Vert.'],
  ]) {
    const answered = `${line}\n> Which colour?\n\n${own}\n\n> Which size?\n\nXL`
    assert.deepEqual(splitQuotes(`${answered}\n\n> Thank you.\n> Northwind\n\n-- \nTom`), {
      visible: answered,
      hasQuote: true,
    })
  }
})

test('an older introduction below the first is quoted too, however it is wrapped', () => {
  const older = 'On Thu, 31 Mar 2024 at 10:05 Tom\n\n<\nmailto:Tom <tom@x.example>\n> wrote:\n\nIs it ready?'
  const line = 'On Thu, 31 Mar 2024 at 11:16 Northwind\n\n<\nmailto:Northwind <a@northwind.example>\n> wrote:'
  const { visible, hasQuote } = splitQuotes(`Thank you.\n\n${line}\n\nIt is.\n\n${older}`)
  assert.equal(visible, 'Thank you.')
  assert.ok(hasQuote)
})

test('a reply below the quote is kept', () => {
  const text =
    'On 12 Mar 2024, at 10:15, A <a@x.example> wrote:\n> Which colour?\n> Tell us.\n\nGreen, please.'
  assert.deepEqual(splitQuotes(text), { visible: 'Green, please.', hasQuote: true })
})

test('a wrapped quoted line without a mark is still a quote', () => {
  const long = '> This line was far too long for the program that sent it, and so it was broken'
  const text = `Yes.\n\nOn 12 Mar 2024, at 10:15, A <a@x.example> wrote:\n${long}\nin two.\n> And another.`
  assert.equal(splitQuotes(text).visible, 'Yes.')
})

test('a link wrapped off a quoted line is still a quote', () => {
  const text =
    'Yes.\n\nOn 12 Mar 2024, at 10:15, A <a@x.example> wrote:\n> See (https://x.example/a\n_b=c)\n> Or\n(https://x.example/d) >\n> Bye'
  assert.equal(splitQuotes(text).visible, 'Yes.')
})

test('a word on the same line as an introduction is kept', () => {
  assert.equal(
    splitQuotes('Thanks. On Tue, Mar 12, 2024 at 10:15 AM, a@x.example wrote:\n> Hi').visible,
    'Thanks.',
  )
})

test('forwarded text is content', () => {
  const forwarded =
    'See below.\n\n---------- Forwarded message ---------\nFrom: A <a@x.example>\nDate: Tue\nSubject: Hi\nTo: b\n\nHello'
  assert.equal(splitQuotes(forwarded).visible, forwarded)
  const outlook = 'See below.\n\nVon: A <a@x.example>\nGesendet: Dienstag\nAn: B\nBetreff: Hallo\n\nText'
  assert.equal(splitQuotes(outlook, 'WG: Hallo').visible, outlook)
  assert.equal(splitQuotes(outlook, 'AW: Hallo').visible, 'See below.')
})

test('signatures are removed, unless there is nothing else', () => {
  assert.equal(splitQuotes('Hello\n\n-- \nTom\nNorthwind').visible, 'Hello')
  assert.equal(splitQuotes('Hello\n\nSent from my iPhone').visible, 'Hello')
  assert.equal(splitQuotes('Hallo\n\nVon meinem iPhone gesendet\n').visible, 'Hallo')
  assert.equal(splitQuotes('Hello\n\n\u1427').visible, 'Hello')
  assert.equal(splitQuotes('Hello\n\n\u1427\n--\n***\n======').visible, 'Hello')
  assert.equal(splitQuotes('Hello\n\u1427\n\nOn 12 Mar 2024, A <a@x.example> wrote:\n> Hi').visible, 'Hello')
  assert.equal(splitQuotes('-- \nTom').visible, '-- \nTom')
  assert.equal(
    splitQuotes('Sent from my heart, with love\nand more below').visible,
    'Sent from my heart, with love\nand more below',
  )
})

test('a device’s line above the text is removed', () => {
  for (const line of ['Sent from my iPhone', 'Gesendet mit der GMX Mail App', 'Envoyé de mon iPad'])
    assert.equal(splitQuotes(`${line}\n\nIt is on its way.\n\nTom`).visible, 'It is on its way.\n\nTom')
  for (const own of [
    'Sent from my iPhone\nis what it says below each mail.',
    'Sent by DHL today\n\nTom',
    'Sent from my iPhone',
  ])
    assert.equal(splitQuotes(own).visible, own)
})

test('every line removed from a reply is in the hidden part, in order', () => {
  for (const [program, line] of Object.entries(OVER)) {
    const text = `Sent from my iPhone\n\n${REPLY}\n\n${line}\n\n> Hello Tom,\n> it is late.\n\n-- \nTom\n\nSent with Spark`
    const { visible } = splitQuotes(text)
    const isTold = (one: string) => one.trim() !== ''
    const told = [...visible.split('\n'), ...hiddenOf(text, visible).split('\n')].filter(isTold)
    assert.deepEqual(
      told.toSorted(),
      text
        .split('\n')
        .map((one) => one.trimEnd())
        .filter(isTold)
        .toSorted(),
      program,
    )
    assert.ok(visible.startsWith('Danke'), program)
  }
})

test('the lines of several devices and programs are removed, with their links', () => {
  for (const lines of [
    ['Envoyé de mon iPhone', '', 'Sent with Spark'],
    ['Von meinem Mobilgerät gesendet', 'Sent from Mailbox for iPad'],
    ['Get [Outlook for Android](https://outlook.example/?LinkId=550986)'],
    ['Get Outlook for iOShttps://outlook.example/ab1234'],
    ['Sent from my Windows 8 PC <https://windows.example/preview2024>', 'From my iPhone 12 Pro'],
    ['Trimis de pe iPhone‑ul meu', 'Az iPhone-omról küldve'],
    ['\u202bأُرسلت من الـ iPhone\u202c', '\u200b'],
    ['(sent from a phone)', '<<sent by galaxy>>', '從我的 iPhone 傳送'],
    ['____________', 'Tom Tester', 'Northwind', '', 'Sent via mobile device', '____________'],
  ])
    assert.equal(
      splitQuotes(`It is on its way.\n\n${lines.join('\n')}`).visible,
      'It is on its way.',
      lines[0],
    )
  const own = 'It is on its way.\n\nFrom my phone I cannot open it.\n???'
  assert.equal(splitQuotes(`${own}\n\nSent from my iPhone`).visible, own)
})

test('a sender’s own last line that starts like a device signature is kept', () => {
  for (const line of [
    'Sent via DHL, tracking number JJD0099887766',
    'Sent via UPS on Monday.',
    'Sent from our warehouse in Leeds',
    'Sent from my shop, not from my phone!',
    'Sent with love',
    'Sent via post, order 4711',
    'Gesendet mit DHL, Sendungsnummer 00340434161094015902',
    'Gesendet von unserem Lager',
    'Envoyé depuis notre entrepôt',
    'Enviado de Madrid',
    'Verzonden met PostNL',
    'Отправлено с Почты России 12345678901234',
    'Get back to me soon',
    'Sent from my phone: 5550100, call me?',
  ])
    assert.equal(splitQuotes(`It is on its way.\n${line}`).visible, `It is on its way.\n${line}`, line)
  for (const line of [
    'Sent from my Samsung Galaxy smartphone.',
    'Sent from Mail for Windows 10',
    'Sent with Proton Mail secure email.',
    'Sent via BlackBerry by AT&T',
    'Get Outlook for Android',
    'Gesendet mit der GMX iPhone App',
    'Von meinem Samsung Gerät gesendet.',
    'Envoyé de mon iPhone',
    'Enviado desde mi iPad',
    'Inviato da iPhone',
    'Verstuurd vanaf mijn iPhone',
    'Отправлено с iPhone',
    'Надіслано з iPhone',
    'Lähetetty iPhonesta',
    'iPhoneから送信',
    '发自我的iPhone',
  ])
    assert.equal(splitQuotes(`It is on its way.\n\n${line}`).visible, 'It is on its way.', line)
})

test('an email with only a quote shows it', () => {
  const text = 'On 12 Mar 2024, at 10:15, A <a@x.example> wrote:\n> Which colour?'
  assert.deepEqual(splitQuotes(text), { visible: text, hasQuote: false })
})

test('all text is processed quickly', () => {
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

test('a quote marked with bars below its introduction is recognised', () => {
  const { visible } = splitQuotes(
    'It is gone after a refresh.\n\n2013/7/20 sam via Forum <info@forum.example>\n\n| sam replied:\n| Does it persist?\n|\n',
  )
  assert.equal(visible, 'It is gone after a refresh.')
  const spaced = 'It is gone.\n\n2013/11/1 Sam < sam@forum.example>\n> Does it persist?\n'
  assert.equal(splitQuotes(spaced).visible, 'It is gone.')
  const table = '2026/7/20 order of Anna\n\n| Bowl | 3 |\n| Jug | 1 |'
  assert.equal(splitQuotes(`Please send:\n\n${table}`).visible, `Please send:\n\n${table}`)
})
