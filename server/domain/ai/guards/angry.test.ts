// Anger is told from everyday words, in many languages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAngry } from './angry.ts'

test('angry customers are recognized', () => {
  const ANGRY = [
    'This is the third time I’m writing to you.',
    'This is unacceptable.',
    'You are a scam!',
    'WHERE IS MY ORDER I PAID THREE WEEKS AGO!!!',
    'what the fuck? this fucking thing is broken',
    'I’m fed up with this bot',
    'Jetzt zum dritten Mal: wo ist mein Paket?',
    'Das ist eine Frechheit.',
    'Sind Sie Betrüger?',
    'Esto es una estafa',
    '¡Es la tercera vez que escribo!',
    'Isso é um absurdo',
    'Ninguém responde!',
    'C’est inadmissible',
    'Bande de voleurs',
    'Vergognatevi, è una truffa',
    'Dit is echt schandalig',
    'To skandal, mam dość',
    'Bu rezalet kabul edilemez',
    'Вы мошенники!',
    'Скільки можна чекати?',
    'هذا غير مقبول',
    '你们是骗子',
    'FÜR WIE BLÖD HALTEN SIE MICH EIGENTLICH?!',
  ]
  assert.deepEqual(
    ANGRY.filter((text) => !isAngry(text)),
    [],
  )
})

test('everyday messages aren’t angry', () => {
  const CALM = [
    'Where is my order?',
    'I’d like a refund please.',
    'I have a complaint about my order.',
    'The product is damaged, very disappointing.',
    'My order number is ABC-DEF-GHI-JKL-MNO-PQR-12345',
    'HELLO I WANT TO ASK ABOUT MY ORDER PLEASE',
    'PLEASE SEND THE INVOICE TO MY ACCOUNTING DEPARTMENT THANK YOU',
    'Great!!! Thank you so much!!!',
    'WOW!!!',
    'I bought this three times and love it',
    'This is my third order',
    'Is it waterproof??',
    'How long do I have to wait?',
    'I’m not angry, just curious',
    'Ich habe dreimal bestellt.',
    'Leider ist das Gerät kaputt.',
    'Mein Mann und ich sind zufrieden',
    'Quiero devolver un producto',
    'Me gusta mucho la primera vez que lo uso',
    'Não recebi o meu pedido ainda',
    'Je n’ai pas reçu ma commande',
    'Il pacco non è arrivato',
    'Waar blijft mijn bestelling?',
    'Gdzie jest moja paczka?',
    'Siparişim gelmedi',
    'Когда придёт посылка?',
    'أين طلبي؟',
    '我的订单在哪里？',
    'FAQ, DHL, UPS, GLS or DPD: which one!!',
    'How many times can I wash it?',
    'Wie oft muss ich den Filter wechseln?',
    '¿Cuántas veces al día lo uso?',
    'La stufa non si accende',
    'This is the third time I order from you, love it!',
    'It is not working. Can you help?',
  ]
  assert.deepEqual(
    CALM.filter((text) => isAngry(text)),
    [],
  )
})
