// What needs no knowledge: greetings, and thanks. Only whole messages count, so "thanks, but where is it?" is a question.
import { foldText } from '../../../../flow-engine/fold-text.ts'

export type SmallTalk = 'greeting' | 'thanks' | null

const folded = (phrases: string): ReadonlySet<string> =>
  new Set(
    phrases
      .split('|')
      .map(foldText)
      .filter((phrase) => phrase !== ''),
  )

const GREETINGS = folded(
  'hi|hello|hey|hi there|hello there|hey there|hiya|good morning|good afternoon|good evening|good day|greetings|' +
    'hallo|guten tag|guten morgen|guten abend|moin|servus|grüß gott|grüezi|hallo zusammen|tag|' +
    'hola|buenas|buenos días|buenas tardes|buenas noches|hola buenas|qué tal|' +
    'bonjour|salut|bonsoir|coucou|bonjour à tous|' +
    'olá|oi|bom dia|boa tarde|boa noite|' +
    'ciao|buongiorno|buonasera|salve|hoi|goedemorgen|goedemiddag|goedenavond|goedendag|' +
    'cześć|dzień dobry|witam|hej|hejsan|god morgon|merhaba|selam|günaydın|iyi günler|' +
    'привет|здравствуйте|добрый день|доброе утро|добрый вечер|привіт|добрий день|вітаю|' +
    'مرحبا|السلام عليكم|أهلا|שלום|היי|नमस्ते|namaste|halo|hai|selamat pagi|selamat siang|xin chào|chào|' +
    '你好|您好|こんにちは|おはようございます|안녕하세요|안녕',
)

const THANKS = folded(
  'thanks|thank you|thx|ty|thanks a lot|thank you very much|thank you so much|many thanks|cheers|great thanks|ok thanks|' +
    'okay thanks|ok thank you|perfect thanks|perfect thank you|great thank you|that helped|that helps|this helped|' +
    'ok|okay|great|perfect|got it|good|cool|awesome|bye|goodbye|have a nice day|' +
    'danke|danke schön|danke sehr|vielen dank|herzlichen dank|danke dir|danke ihnen|ok danke|super danke|alles klar|' +
    'alles klar danke|super|prima|perfekt|tschüss|auf wiedersehen|das hilft|' +
    'gracias|muchas gracias|mil gracias|ok gracias|vale|vale gracias|perfecto|perfecto gracias|genial|adiós|' +
    'merci|merci beaucoup|ok merci|parfait|parfait merci|super merci|au revoir|' +
    'obrigado|obrigada|muito obrigado|muito obrigada|valeu|ok obrigado|ok obrigada|perfeito|tchau|' +
    'grazie|grazie mille|ok grazie|perfetto|bedankt|dank je|dank u|dankjewel|dziękuję|dzięki|tack|tack så mycket|' +
    'teşekkürler|teşekkür ederim|sağ ol|tamam|спасибо|большое спасибо|хорошо|дякую|شكرا|شكرا جزيلا|תודה|תודה רבה|' +
    'धन्यवाद|शुक्रिया|terima kasih|makasih|cảm ơn|谢谢|谢谢你|ありがとう|ありがとうございます|감사합니다|고마워요',
)

const KIND_SIGNS = new Set('👍👌🙏❤💙💚💛🧡💜🖤🤍😊🙂😀😃😄😁🥰😍🤗🎉✅💯🫶👏')
/** Skin tones, the selectors and joiners of signs, spaces and punctuation say nothing themselves. */
const BESIDE_SIGNS = /[\p{Emoji_Modifier}\p{M}\p{Cf}\p{Z}\p{P}]/u

const isKind = (text: string): boolean => {
  const signs = [...text].filter((sign) => !BESIDE_SIGNS.test(sign))
  return signs.length > 0 && signs.every((sign) => KIND_SIGNS.has(sign))
}

export const smallTalkOf = (text: string): SmallTalk => {
  const one = foldText(text)
  if (GREETINGS.has(one)) return 'greeting'
  return THANKS.has(one) || (one === '' && isKind(text)) ? 'thanks' : null
}
