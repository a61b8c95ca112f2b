// What customers are told about the codes that show who they are.
import { baseOf } from '../../../../flow-engine/language.ts'
import { CODE_VALID_MINUTES } from '../../identity-codes/code.ts'

type Texts = {
  /** With the address, not in full. */
  sent: string
  wrong: string
  expired: string
  /** Of the message that brings the code. */
  subject: string
  message: string
}

const TEXTS: Record<string, Texts> = {
  en: {
    sent: 'To make sure that it’s you, I’ve sent a six-digit code to {address}. Please enter it here within {minutes} minutes.',
    wrong: 'That isn’t the code that I sent. Please check it and enter it again.',
    expired: 'This code is no longer valid. Would you like a new one?',
    subject: 'Your code for {workspace}',
    message:
      '{code} is your code for {workspace}. Enter it in our conversation within {minutes} minutes.\n\nIf you didn’t ask for it, ignore this message. Don’t give the code to anyone else.',
  },
  de: {
    sent: 'Damit ich sicher bin, dass Sie es sind, habe ich einen sechsstelligen Code an {address} geschickt. Bitte geben Sie ihn innerhalb von {minutes} Minuten hier ein.',
    wrong:
      'Das ist nicht der Code, den ich geschickt habe. Bitte prüfen Sie ihn und geben Sie ihn noch einmal ein.',
    expired: 'Dieser Code ist nicht mehr gültig. Möchten Sie einen neuen?',
    subject: 'Ihr Code für {workspace}',
    message:
      '{code} ist Ihr Code für {workspace}. Geben Sie ihn innerhalb von {minutes} Minuten in unserer Unterhaltung ein.\n\nFalls Sie ihn nicht angefordert haben, ignorieren Sie diese Nachricht. Geben Sie den Code nicht weiter.',
  },
  es: {
    sent: 'Para asegurarme de que es usted, he enviado un código de seis cifras a {address}. Escríbalo aquí en los próximos {minutes} minutos, por favor.',
    wrong: 'Ese no es el código que he enviado. Compruébelo y escríbalo de nuevo, por favor.',
    expired: 'Este código ya no es válido. ¿Quiere uno nuevo?',
    subject: 'Su código para {workspace}',
    message:
      '{code} es su código para {workspace}. Escríbalo en nuestra conversación en los próximos {minutes} minutos.\n\nSi no lo ha pedido, no haga caso de este mensaje. No comparta el código con nadie.',
  },
  pt: {
    sent: 'Para ter certeza de que é você, enviei um código de seis dígitos para {address}. Digite-o aqui em até {minutes} minutos, por favor.',
    wrong: 'Esse não é o código que enviei. Confira e digite de novo, por favor.',
    expired: 'Este código não é mais válido. Quer um novo?',
    subject: 'Seu código para {workspace}',
    message:
      '{code} é o seu código para {workspace}. Digite-o na nossa conversa em até {minutes} minutos.\n\nSe você não pediu este código, ignore esta mensagem. Não passe o código a ninguém.',
  },
  it: {
    sent: 'Per essere certo che sia Lei, ho inviato un codice di sei cifre a {address}. Lo scriva qui entro {minutes} minuti, per favore.',
    wrong: 'Questo non è il codice che ho inviato. Lo controlli e lo scriva di nuovo, per favore.',
    expired: 'Questo codice non è più valido. Ne vuole uno nuovo?',
    subject: 'Il Suo codice per {workspace}',
    message:
      '{code} è il Suo codice per {workspace}. Lo scriva nella nostra conversazione entro {minutes} minuti.\n\nSe non lo ha richiesto, ignori questo messaggio. Non comunichi il codice a nessuno.',
  },
  nl: {
    sent: 'Om zeker te weten dat u het bent, heb ik een code van zes cijfers gestuurd naar {address}. Voer die hier binnen {minutes} minuten in.',
    wrong: 'Dat is niet de code die ik heb gestuurd. Controleer de code en voer die opnieuw in.',
    expired: 'Deze code is niet meer geldig. Wilt u een nieuwe?',
    subject: 'Uw code voor {workspace}',
    message:
      '{code} is uw code voor {workspace}. Voer die binnen {minutes} minuten in ons gesprek in.\n\nHebt u er niet om gevraagd? Negeer dan dit bericht. Geef de code aan niemand door.',
  },
  pl: {
    sent: 'Aby upewnić się, że to Ty, na adres {address} wysłano sześciocyfrowy kod. Wpisz go tutaj w ciągu {minutes} minut.',
    wrong: 'To nie jest wysłany kod. Sprawdź go i wpisz jeszcze raz.',
    expired: 'Ten kod nie jest już ważny. Czy wysłać nowy?',
    subject: 'Twój kod do {workspace}',
    message:
      '{code} to Twój kod do {workspace}. Wpisz go w naszej rozmowie w ciągu {minutes} minut.\n\nJeśli to nie Ty prosisz o kod, zignoruj tę wiadomość. Nie podawaj kodu nikomu.',
  },
  fr: {
    sent: 'Pour m’assurer que c’est bien vous, j’ai envoyé un code à six chiffres à {address}. Veuillez le saisir ici dans les {minutes} minutes.',
    wrong: 'Ce n’est pas le code que j’ai envoyé. Veuillez le vérifier et le saisir à nouveau.',
    expired: 'Ce code n’est plus valable. En voulez-vous un nouveau ?',
    subject: 'Votre code pour {workspace}',
    message:
      '{code} est votre code pour {workspace}. Saisissez-le dans notre conversation dans les {minutes} minutes.\n\nSi vous ne l’avez pas demandé, ignorez ce message. Ne communiquez ce code à personne.',
  },
  tr: {
    sent: 'Siz olduğunuzdan emin olmak için {address} adresine altı haneli bir kod gönderdim. Lütfen {minutes} dakika içinde buraya girin.',
    wrong: 'Bu, gönderdiğim kod değil. Lütfen kontrol edip yeniden girin.',
    expired: 'Bu kod artık geçerli değil. Yeni bir kod ister misiniz?',
    subject: '{workspace} kodunuz',
    message:
      '{code}, {workspace} kodunuzdur. {minutes} dakika içinde görüşmemize girin.\n\nBu kodu siz istemediyseniz bu mesajı dikkate almayın. Kodu kimseyle paylaşmayın.',
  },
  ru: {
    sent: 'Чтобы убедиться, что это вы, мы отправили шестизначный код на {address}. Введите его здесь в течение {minutes} минут.',
    wrong: 'Это не тот код, который мы отправили. Проверьте его и введите ещё раз.',
    expired: 'Этот код больше не действует. Отправить новый?',
    subject: 'Ваш код для {workspace}',
    message:
      '{code} — ваш код для {workspace}. Введите его в нашем чате в течение {minutes} минут.\n\nЕсли вы его не запрашивали, не обращайте внимания на это сообщение. Никому не сообщайте код.',
  },
  uk: {
    sent: 'Щоб переконатися, що це ви, ми надіслали шестизначний код на {address}. Введіть його тут протягом {minutes} хвилин.',
    wrong: 'Це не той код, який ми надіслали. Перевірте його та введіть ще раз.',
    expired: 'Цей код більше не дійсний. Надіслати новий?',
    subject: 'Ваш код для {workspace}',
    message:
      '{code} — ваш код для {workspace}. Введіть його в нашому чаті протягом {minutes} хвилин.\n\nЯкщо ви його не запитували, не зважайте на це повідомлення. Нікому не повідомляйте код.',
  },
  ar: {
    sent: 'للتأكد من أنك صاحب الحساب، أرسلت رمزًا من ستة أرقام إلى {address}. يُرجى إدخاله هنا خلال {minutes} دقائق.',
    wrong: 'هذا ليس الرمز الذي أرسلته. يُرجى التحقق منه وإدخاله مرة أخرى.',
    expired: 'لم يعد هذا الرمز صالحًا. هل تريد رمزًا جديدًا؟',
    subject: 'رمزك لدى {workspace}',
    message:
      '{code} هو رمزك لدى {workspace}. أدخله في محادثتنا خلال {minutes} دقائق.\n\nإذا لم تطلبه، فتجاهل هذه الرسالة. لا تُعطِ الرمز لأي شخص آخر.',
  },
}

/** In English where there is no other. */
export const codeText = (
  name: keyof Texts,
  language: string,
  values: { address?: string; code?: string; workspace?: string } = {},
): string => {
  const texts = Object.hasOwn(TEXTS, baseOf(language)) ? TEXTS[baseOf(language)]! : TEXTS.en!
  const all: Record<string, string> = { minutes: String(CODE_VALID_MINUTES), ...values }
  return texts[name].replace(/\{(\w+)\}/g, (_, key: string) => all[key] ?? '')
}
