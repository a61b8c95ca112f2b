// What customers read when they are handed over to people and the flow says nothing itself, in 20 languages.
import { baseOf } from './language.ts'

const TEXTS: Record<string, string> = {
  en: 'Thanks. Someone from our team will reply here.',
  de: 'Danke. Jemand aus unserem Team antwortet Ihnen hier.',
  es: 'Gracias. Una persona de nuestro equipo te responderá aquí.',
  fr: 'Merci. Quelqu’un de notre équipe vous répondra ici.',
  it: 'Grazie. Qualcuno del nostro team ti risponderà qui.',
  pt: 'Obrigado. Alguém da nossa equipe vai responder aqui.',
  nl: 'Bedankt. Iemand van ons team antwoordt je hier.',
  pl: 'Dziękujemy. Ktoś z naszego zespołu odpowie tutaj.',
  tr: 'Teşekkürler. Ekibimizden biri size buradan yanıt verecek.',
  ru: 'Спасибо. Вам ответит здесь сотрудник нашей команды.',
  uk: 'Дякуємо. Вам відповість тут хтось із нашої команди.',
  ar: 'شكرًا لك. سيرد عليك أحد أعضاء فريقنا هنا.',
  he: 'תודה. מישהו מהצוות שלנו ישיב לך כאן.',
  hi: 'धन्यवाद। हमारी टीम से कोई आपको यहीं जवाब देगा।',
  id: 'Terima kasih. Tim kami akan membalas Anda di sini.',
  vi: 'Cảm ơn bạn. Nhân viên của chúng tôi sẽ trả lời bạn tại đây.',
  zh: '谢谢。我们的同事会在这里回复您。',
  ja: 'ありがとうございます。担当者がこちらで返信いたします。',
  ko: '감사합니다. 담당자가 여기에서 답변드리겠습니다.',
  sv: 'Tack. Någon i vårt team svarar dig här.',
}

/** In English where there is no text in the language. */
export const handOverText = (language: string): string => {
  const base = baseOf(language)
  return Object.hasOwn(TEXTS, base) ? TEXTS[base]! : TEXTS.en!
}
