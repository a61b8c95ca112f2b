// What the engine itself says to customers when a flow's author wrote no text for it, and the words for yes, no, today
// and tomorrow, in 20 languages.
import { baseOf } from './language.ts'

type Texts = {
  /** Also taken as an answer; the first is the title of the button. */
  yes: string
  no: string
  today: string
  tomorrow: string
  notUnderstood: string
  /** The button that leads to a person. */
  person: string
  choose: string
  /** The row of a list that leads to the next options. */
  more: string
  oldChoice: string
}

const TEXTS: Record<string, Texts> = {
  en: {
    yes: 'Yes|y|yep|yeah|yup|sure|ok|okay|of course|correct|right|definitely|yes please',
    no: 'No|n|nope|nah|not really|no thanks|no thank you',
    today: 'today',
    tomorrow: 'tomorrow',
    notUnderstood: 'Sorry, I didn’t understand that.',
    person: 'Talk to a person',
    choose: 'Choose',
    more: 'More…',
    oldChoice: 'We’ve already moved on from that question.',
  },
  de: {
    yes: 'Ja|j|jo|jep|jawohl|klar|gerne|gern|genau|stimmt|natürlich|ja bitte',
    no: 'Nein|nee|nö|ne|nein danke',
    today: 'heute',
    tomorrow: 'morgen',
    notUnderstood: 'Das habe ich leider nicht verstanden.',
    person: 'Mit Person sprechen',
    choose: 'Auswählen',
    more: 'Weitere…',
    oldChoice: 'Diese Frage ist schon beantwortet.',
  },
  es: {
    yes: 'Sí|s|claro|vale|por supuesto|correcto|sí por favor',
    no: 'No|no gracias|para nada',
    today: 'hoy',
    tomorrow: 'mañana',
    notUnderstood: 'Lo siento, no lo he entendido.',
    person: 'Hablar con alguien',
    choose: 'Elegir',
    more: 'Más…',
    oldChoice: 'Esa pregunta ya está respondida.',
  },
  fr: {
    yes: 'Oui|ouais|bien sûr|d’accord|exactement|oui merci',
    no: 'Non|non merci|pas du tout',
    today: 'aujourd’hui',
    tomorrow: 'demain',
    notUnderstood: 'Désolé, je n’ai pas compris.',
    person: 'Parler à quelqu’un',
    choose: 'Choisir',
    more: 'Plus…',
    oldChoice: 'Vous avez déjà répondu à cette question.',
  },
  it: {
    yes: 'Sì|certo|va bene|esatto|sì grazie',
    no: 'No|no grazie|per niente',
    today: 'oggi',
    tomorrow: 'domani',
    notUnderstood: 'Mi dispiace, non ho capito.',
    person: 'Parla con noi',
    choose: 'Scegli',
    more: 'Altro…',
    oldChoice: 'A questa domanda hai già risposto.',
  },
  pt: {
    yes: 'Sim|s|claro|com certeza|isso|sim por favor',
    no: 'Não|nao|n|não obrigado|não obrigada',
    today: 'hoje',
    tomorrow: 'amanhã',
    notUnderstood: 'Desculpe, não entendi.',
    person: 'Falar com alguém',
    choose: 'Escolher',
    more: 'Mais…',
    oldChoice: 'Essa pergunta já foi respondida.',
  },
  nl: {
    yes: 'Ja|jawel|zeker|graag|klopt|ja graag',
    no: 'Nee|nee bedankt|nee dank je',
    today: 'vandaag',
    tomorrow: 'morgen',
    notUnderstood: 'Sorry, dat heb ik niet begrepen.',
    person: 'Iemand spreken',
    choose: 'Kiezen',
    more: 'Meer…',
    oldChoice: 'Die vraag is al beantwoord.',
  },
  pl: {
    yes: 'Tak|t|jasne|oczywiście|zgadza się|tak proszę',
    no: 'Nie|nie dziękuję',
    today: 'dziś|dzisiaj',
    tomorrow: 'jutro',
    notUnderstood: 'Przepraszam, nie rozumiem.',
    person: 'Rozmowa z osobą',
    choose: 'Wybierz',
    more: 'Więcej…',
    oldChoice: 'Na to pytanie już odpowiedziano.',
  },
  tr: {
    yes: 'Evet|e|tabii|tabi|olur|tamam|doğru',
    no: 'Hayır|hayir|h|yok|istemiyorum',
    today: 'bugün',
    tomorrow: 'yarın',
    notUnderstood: 'Üzgünüm, anlayamadım.',
    person: 'Temsilciyle görüş',
    choose: 'Seç',
    more: 'Daha fazla…',
    oldChoice: 'Bu soru zaten yanıtlandı.',
  },
  ru: {
    yes: 'Да|ага|конечно|верно|хорошо|да пожалуйста',
    no: 'Нет|не|неа|нет спасибо',
    today: 'сегодня',
    tomorrow: 'завтра',
    notUnderstood: 'Извините, я не понял ответ.',
    person: 'Связь с человеком',
    choose: 'Выбрать',
    more: 'Ещё…',
    oldChoice: 'На этот вопрос уже есть ответ.',
  },
  uk: {
    yes: 'Так|ага|звісно|звичайно|вірно|добре',
    no: 'Ні|нє|ні дякую',
    today: 'сьогодні',
    tomorrow: 'завтра',
    notUnderstood: 'Вибачте, я не зрозумів відповідь.',
    person: 'Звʼязок з людиною',
    choose: 'Вибрати',
    more: 'Ще…',
    oldChoice: 'На це питання вже є відповідь.',
  },
  ar: {
    yes: 'نعم|ايوه|أيوه|اه|أجل|اجل|أكيد|تمام',
    no: 'لا|كلا|لا شكرا',
    today: 'اليوم',
    tomorrow: 'غدا|بكرة',
    notUnderstood: 'عذرًا، لم أفهم ذلك.',
    person: 'التحدث مع شخص',
    choose: 'اختر',
    more: 'المزيد…',
    oldChoice: 'تمت الإجابة عن هذا السؤال.',
  },
  he: {
    yes: 'כן|בטח|נכון|בסדר',
    no: 'לא|לא תודה',
    today: 'היום',
    tomorrow: 'מחר',
    notUnderstood: 'סליחה, לא הבנתי.',
    person: 'לדבר עם נציג',
    choose: 'בחירה',
    more: 'עוד…',
    oldChoice: 'השאלה הזאת כבר נענתה.',
  },
  hi: {
    yes: 'हाँ|हां|जी|जी हाँ|ठीक है|haan|ha|han|ji',
    no: 'नहीं|ना|जी नहीं|nahi|nahin',
    today: 'आज',
    tomorrow: 'कल',
    notUnderstood: 'माफ़ कीजिए, मैं समझ नहीं पाया।',
    person: 'किसी से बात करें',
    choose: 'चुनें',
    more: 'और…',
    oldChoice: 'इस सवाल का जवाब मिल चुका है।',
  },
  id: {
    yes: 'Ya|iya|y|yes|betul|benar|boleh|tentu',
    no: 'Tidak|tdk|nggak|enggak|gak|bukan|tidak terima kasih',
    today: 'hari ini',
    tomorrow: 'besok',
    notUnderstood: 'Maaf, saya tidak mengerti.',
    person: 'Bicara dgn petugas',
    choose: 'Pilih',
    more: 'Lainnya…',
    oldChoice: 'Pertanyaan itu sudah dijawab.',
  },
  vi: {
    yes: 'Có|vâng|dạ|đúng|ừ|được|đồng ý',
    no: 'Không|ko|không cảm ơn|không phải',
    today: 'hôm nay',
    tomorrow: 'ngày mai',
    notUnderstood: 'Xin lỗi, tôi chưa hiểu.',
    person: 'Gặp nhân viên',
    choose: 'Chọn',
    more: 'Xem thêm…',
    oldChoice: 'Câu hỏi đó đã được trả lời.',
  },
  zh: {
    yes: '是|是的|好|好的|对|對|嗯|可以|要',
    no: '否|不|不是|不用|不要|不用了|没有|沒有',
    today: '今天',
    tomorrow: '明天',
    notUnderstood: '抱歉，我没明白。',
    person: '联系人工客服',
    choose: '选择',
    more: '更多…',
    oldChoice: '这个问题已经回答过了。',
  },
  ja: {
    yes: 'はい|うん|ええ|そうです|お願いします|オーケー',
    no: 'いいえ|いや|ううん|違います|結構です',
    today: '今日',
    tomorrow: '明日',
    notUnderstood: '申し訳ありません、理解できませんでした。',
    person: '担当者と話す',
    choose: '選択',
    more: 'もっと見る',
    oldChoice: 'その質問にはすでにお答えいただきました。',
  },
  ko: {
    yes: '네|예|응|그래|그래요|맞아요|좋아요|넵',
    no: '아니요|아니오|아니|아뇨|싫어요|괜찮아요',
    today: '오늘',
    tomorrow: '내일',
    notUnderstood: '죄송합니다. 이해하지 못했어요.',
    person: '상담원과 대화',
    choose: '선택',
    more: '더 보기…',
    oldChoice: '이미 답변하신 질문이에요.',
  },
  sv: {
    yes: 'Ja|japp|jadå|visst|gärna|absolut|ja tack',
    no: 'Nej|nä|nej tack',
    today: 'idag|i dag',
    tomorrow: 'imorgon|i morgon',
    notUnderstood: 'Förlåt, jag förstod inte det.',
    person: 'Prata med någon',
    choose: 'Välj',
    more: 'Fler…',
    oldChoice: 'Den frågan är redan besvarad.',
  },
}

export const BUILT_IN_LANGUAGES = Object.keys(TEXTS)

const textsIn = (language: string): Texts => {
  const base = baseOf(language)
  return Object.hasOwn(TEXTS, base) ? TEXTS[base]! : TEXTS.en!
}

type WordKind = 'yes' | 'no' | 'today' | 'tomorrow'

/** What the engine says in a language; English where it doesn't speak it. */
export const builtInText = (name: Exclude<keyof Texts, WordKind>, language: string): string =>
  textsIn(language)[name]

export const yesTitle = (language: string): string => wordsIn('yes', language)[0]!
export const noTitle = (language: string): string => wordsIn('no', language)[0]!

export const wordsIn = (kind: WordKind, language: string): string[] => textsIn(language)[kind].split('|')

export const wordsInAll = (kind: WordKind): string[] =>
  BUILT_IN_LANGUAGES.flatMap((one) => wordsIn(kind, one))
