"""Words that name who speaks ("user", "assistant", …), or which part of a request follows, in
models' chat templates.

One list for every form such a word takes in a template: a tag, a line, a heading. Data only.
"""

from __future__ import annotations

from typing import Final

_SPEAKERS: Final = """
system user assistant human bot chatbot falcon
benutzer benutzerin nutzer nutzerin assistent assistentin mensch
utilisateur utilisatrice système humain usuario usuaria sistema asistente humano
usuário utilizador assistente utente umano gebruiker systeem użytkownik asystent człowiek
uživatel systém používateľ asistent användare bruker bruger käyttäjä avustaja järjestelmä
felhasználó asszisztens rendszer utilizator kullanıcı asistan sistem pengguna asisten
người\\ dùng trợ\\ lý hệ\\ thống χρήστης βοηθός σύστημα
пользователь ассистент помощник система человек бот модель ии користувач асистент помічник
людина потребител корисник
مستخدم المستخدم مساعد المساعد نظام النظام کاربر دستیار سیستم صارف משתמש עוזר מערכת
उपयोगकर्ता सहायक प्रणाली सिस्टम ব্যবহারকারী সহকারী பயனர் உதவியாளர் ผู้ใช้ ผู้ช่วย ระบบ
用户 用戶 使用者 助手 助理 系统 系統 人类 人類 机器人 機器人 模型 智能体
ユーザー ユーザ 利用者 アシスタント システム 人間 ボット
사용자 유저 어시스턴트 도우미 시스템 인간 챗봇
"""
_PARTS: Final = """
question answer
frage antwort anweisung eingabe ausgabe question réponse entrée pregunta respuesta instrucción
pergunta resposta instrução domanda risposta istruzione вопрос ответ инструкция запрос
问 答 問 问题 問題 提问 回答 答案 指令 指示 输入 輸入 输出 輸出 入力 出力 回复 回覆 応答 質問
질문 답변 대답 응답 명령어 지시 지시사항 입력 출력
"""


def _any(words: str) -> str:
    """Return a pattern for any of the words, the longer ones first."""
    found = set(words.replace("\\ ", "\x00").split())
    ordered = sorted(found, key=lambda word: (-len(word), word))
    return "|".join(word.replace("\x00", " ") for word in ordered)


SPEAKER: Final = _any(_SPEAKERS)
PART: Final = _any(_PARTS)
